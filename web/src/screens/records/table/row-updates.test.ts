/** The loaded rows of a table while records are deleted, restored and read. */

import { beforeEach, expect, test } from 'bun:test'
import type { Entity, EntityPage } from '../../../api/records/entities'
import { type RowReads, RowUpdates, type TableQuery, type UpdatedTable } from './row-updates'

const entityOf = (id: string) => ({ id, created_at: '', values: {} })
const NONE: ReadonlySet<string> = new Set()
const changesOf = (change: { created?: string[]; updated?: string[]; deleted?: string[] }) => ({
  created: new Set(change.created),
  updated: new Map((change.updated ?? []).map((id) => [id, NONE])),
  deleted: new Set(change.deleted),
})

/** The records of the service. */
let stored: Set<string>
let shown: string[]
let readIds: (readonly string[])[]
let table: UpdatedTable
let updates: RowUpdates

beforeEach(() => {
  stored = new Set(['ada', 'bob', 'cyd'])
  shown = ['ada', 'bob', 'cyd']
  readIds = []
  const query: TableQuery = { filter: {}, sorts: [], fields: [] }
  table = {
    entityType: { kind: 'objects', slug: 'people' },
    rows: rowsOf(),
    query,
    loaded: Promise.resolve(),
    newIds: new Set(),
    activeRow: 2,
    scrollRequest: undefined,
    removeRows: (ids) => (shown = shown.filter((id) => !ids.has(id))),
  }
  updates = new RowUpdates(
    table,
    { read: async (_, read) => ({ found: await read(), isOutdated: () => false }) },
    reads,
  )
})

const rowsOf = (): UpdatedTable['rows'] => ({
  get ids() {
    return new Set(shown)
  },
  visible: { first: 0, end: 3 },
  get count() {
    return shown.length
  },
  get isEmpty() {
    return shown.length === 0
  },
  isComplete: true,
  countBefore: (index, ids) => shown.slice(0, index).filter((id) => ids.has(id)).length,
  replace: () => {},
  prepend: (...entities) => (shown = [...entities.map(({ id }) => id), ...shown]),
  unloadInvisible: () => {},
})

const reads: RowReads = {
  read: async (_, ids): Promise<Entity[]> => {
    readIds.push(ids)
    return ids.filter((id) => stored.has(id)).map(entityOf)
  },
  query: async (_, { filter = {} }): Promise<EntityPage> => {
    const [, { record_id }] = filter.$and as [unknown, { record_id: { $in: string[] } }] // as `#offer` writes it
    const entities = record_id.$in.filter((id) => stored.has(id)).map(entityOf)
    return { entities, nextCursor: null, total: undefined, sum: undefined }
  },
}

test('a deleted row is removed, and the active row stays the same', async () => {
  stored.delete('ada')
  await updates.apply(changesOf({ deleted: ['ada'] }))
  expect(shown).toEqual(['bob', 'cyd'])
  expect(table.activeRow).toBe(1)
})

test('the late event of a deletion leaves a row that was restored since', async () => {
  await updates.apply(changesOf({ deleted: ['ada'], updated: ['bob'] }))
  expect(shown).toEqual(['ada', 'bob', 'cyd'])
  expect(readIds).toEqual([['ada', 'bob']])
})

test('a row that is not loaded is not read, and no longer offered, after its deletion', async () => {
  table.newIds.add('dan')
  await updates.apply(changesOf({ deleted: ['dan'] }))
  expect([...table.newIds]).toEqual([])
  expect(readIds).toEqual([])
})

test('a restored row is shown on top once, before and after the events of its deletion', async () => {
  shown = ['bob', 'cyd']
  await updates.addRestored(['ada'])
  await updates.apply(changesOf({ deleted: ['ada'] }))
  await updates.apply(changesOf({ created: ['ada'] }))
  expect(shown).toEqual(['ada', 'bob', 'cyd'])
  expect([...table.newIds]).toEqual([])
})

test('the row of a created record is read again, because the batch may have an update that came after its read', async () => {
  await updates.apply(changesOf({ created: ['bob'] }))
  expect(readIds).toEqual([['bob']])
  expect([...table.newIds]).toEqual([])
})

test('a record that another person restored is offered', async () => {
  shown = ['bob', 'cyd']
  await updates.apply(changesOf({ created: ['ada'] }))
  expect(shown).toEqual(['bob', 'cyd'])
  expect([...table.newIds]).toEqual(['ada'])
})

test('the values of a later read are shown last, also when an earlier read is answered late', async () => {
  const late = Promise.withResolvers<void>()
  const waiting = [late.promise]
  const texts: string[] = []
  let text = 'before'
  const read: RowReads['read'] = async (_, ids) => {
    const entities = ids.map((id) => ({ ...entityOf(id), created_at: text }))
    await waiting.shift()
    return entities
  }
  table = { ...table, rows: { ...rowsOf(), replace: (...entities) => texts.push(entities[0]?.created_at ?? '') } }
  updates = new RowUpdates(
    table,
    { read: async (_, send) => ({ found: await send(), isOutdated: () => false }) },
    { ...reads, read },
  )
  const earlier = updates.apply(changesOf({ deleted: ['ada'] }))
  await Bun.sleep(0)
  text = 'after'
  const later = updates.apply(changesOf({ updated: ['ada'] }))
  await Bun.sleep(0)
  late.resolve()
  await Promise.all([earlier, later])
  expect(texts.at(-1)).toBe('after')
})
