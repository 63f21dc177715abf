/**
 * Random queries over random entries, as in `differential.test.ts`. Lists have attributes with the names of those of records,
 * with values of their own. QUERY_RUNS sets how many queries are tried.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { useTestService } from '#testing/use-service'
import { matches, type RecordJson, sorted, type Types, type ValueJson } from './testing/evaluator'
import { conditionOn, CONSTRAINTS, filterOf, pathOver, present, range, since, sortOf } from './testing/random-queries'
import { thing, TYPES_OF_THINGS } from './testing/random-things'
import { COLORS, createListOfThings, createThing, createThings, STATES, succeed } from './testing/things'

const RUNS = Number(process.env.QUERY_RUNS ?? 150)
const THINGS = 25
const ENTRIES = 60
const ENTRIES_PATH = '/v2/lists/pipeline/entries'

interface EntryJson {
  readonly id: { readonly entry_id: string }
  readonly parent_record_id: string
  readonly parent_object: string
  readonly created_at: string
  readonly entry_values: RecordJson['values']
}

const service = useTestService()
let world: Map<string, RecordJson>
/** The records in the form of the evaluator. */
let entries: RecordJson[]

beforeAll(async () => {
  await createThings(service.request)
  await createListOfThings(service.request, 'pipeline')
  const things = await seedThings()
  await seedEntries(things)
  const records: RecordJson[] = (await service.request('POST', '/v2/objects/things/records/query')).body.data
  world = new Map(records.map((each) => [each.id.record_id, each]))
  entries = (await service.request('POST', `${ENTRIES_PATH}/query`)).body.data.map(asRecord)
})

async function seedThings(): Promise<string[]> {
  const ids: string[] = []
  for (const [index, values] of fc.sample(thing, { numRuns: THINGS, seed: 11 }).entries()) {
    const parent = index % 3 === 1 ? { parent: ids[index >> 1] } : {}
    ids.push(await createThing(service.request, 'things', { ...values, ...parent }))
  }
  return ids
}

/** Some things are in the list several times, some never. Some entries are changed later. */
async function seedEntries(things: readonly string[]): Promise<void> {
  const { request } = service
  for (const [index, values] of fc.sample(thing, { numRuns: ENTRIES, seed: 12 }).entries()) {
    const parent_record_id = things[(index * index) % (THINGS - 3)]
    const parent = index % 4 === 1 ? { parent: things[index % THINGS] } : {}
    const data = { parent_object: 'things', parent_record_id, entry_values: { ...values, ...parent } }
    const { id } = (await succeed(request('POST', ENTRIES_PATH, { data }))).data
    if (index % 5 > 0) continue
    const entry_values = { state: STATES[index % 3], color: COLORS[index % 2] }
    await succeed(request('PATCH', `${ENTRIES_PATH}/${id.entry_id}`, { data: { entry_values } }))
  }
}

/** Represents an entry as a record with the parent as one of its values. */
function asRecord({ id, created_at, parent_object, parent_record_id, entry_values }: EntryJson): RecordJson {
  const parent = { target_object: parent_object, target_record_id: parent_record_id }
  const parent_record: ValueJson[] = [{ attribute_type: 'record-reference', ...parent }]
  return { id: { record_id: id.entry_id }, created_at, values: { ...entry_values, parent_record } }
}

const ENTRY_TYPES: Types = {
  ...TYPES_OF_THINGS,
  entry_id: 'text',
  created_at: 'timestamp',
  parent_record: 'record-reference',
}

// The entities exist only when the queries are generated.
const anyOf = <T>(all: () => readonly T[]) => fc.nat().map((index): T => all()[index % all().length] as T) // the array is not empty
const entryId = anyOf(() => entries.map(({ id }) => id.record_id))
const thingId = anyOf(() => [...world.keys()])
const instant = anyOf(() => entries.flatMap(({ created_at, values }) => [created_at, ...sincesOf(values)]))
const sincesOf = ({ state = [], color = [] }: RecordJson['values']) =>
  [...state, ...color].map(({ active_from }) => String(active_from))

const OF_ENTRIES = {
  entry_id: fc.oneof(entryId, fc.record({ $in: fc.array(entryId, { maxLength: 9 }) }), present),
  created_at: range(instant),
  parent_record: fc.oneof(
    present,
    thingId,
    fc.record({ target_object: fc.constant('things') }),
    fc.record({ target_object: fc.constant('things'), target_record_id: thingId }),
    fc.record({ target_record_id: fc.record({ $in: fc.array(thingId, { maxLength: 5 }) }) }),
  ),
  state: fc.oneof(CONSTRAINTS.state ?? present, since(instant)),
  color: fc.oneof(CONSTRAINTS.color ?? present, since(instant)),
}

/** Paths from an entry by its own reference or by its parent record. */
const ways = fc
  .tuple(fc.constantFrom('parent_record', 'parent'), fc.integer({ min: 0, max: 2 }))
  .map(([first, more]) => [
    ['pipeline', first] as const,
    ...Array.from({ length: more }, () => ['things', 'parent'] as const),
  ])

const filter = filterOf(
  fc.oneof(conditionOn(CONSTRAINTS), conditionOn(OF_ENTRIES)),
  fc.oneof({ weight: 3, arbitrary: pathOver(ways) }, { weight: 1, arbitrary: pathOfOneSegment() }),
)
const sorts = fc.array(sortOf('entry_id', ways), { maxLength: 3 })

/** A path that also names an attribute of the list. */
function pathOfOneSegment() {
  return conditionOn({ ...CONSTRAINTS, ...OF_ENTRIES }).map((condition) => {
    const [[slug, constraints] = ['', {}]] = Object.entries(condition)
    return { path: [['pipeline', slug]], constraints }
  })
}

const idsOf = (found: readonly EntryJson[]) => found.map(({ id }) => id.entry_id)

describe('POST /v2/lists/{list}/entries/query', () => {
  test('200 with the result of the evaluator, for any filter and sorts', async () => {
    const found = new Set<number>()
    const property = fc.asyncProperty(filter, sorts, async (filter, sorts) => {
      const { status, body } = await service.request('POST', `${ENTRIES_PATH}/query`, { filter, sorts })
      const expected = sorted(
        entries.filter((each) => matches(each, filter, world, ENTRY_TYPES)),
        sorts,
        world,
        [...COLORS, ...STATES],
      )
      found.add(expected.length)
      expect([status, idsOf(body.data ?? [])]).toEqual([200, expected.map(({ id }) => id.record_id)])
    })
    await fc.assert(property, { numRuns: RUNS, seed: 3 })
    // Queries that match all records or none would test little.
    expect(found.size).toBeGreaterThan(Math.min(10, RUNS / 20))
  }, 600_000)

  test('200 with all entries in pages, by offset and by cursor, and through a view', async () => {
    const property = fc.asyncProperty(filter, sorts, fc.integer({ min: 9, max: 25 }), async (filter, sorts, limit) => {
      const ask = (more: object) => service.request('POST', `${ENTRIES_PATH}/query`, { filter, sorts, ...more })
      const whole = idsOf((await ask({})).body.data)
      const offsets = Array.from({ length: Math.ceil(ENTRIES / limit) }, (_, page) => page * limit)
      const pages = await Promise.all(offsets.map((offset) => ask({ limit, offset })))
      expect(pages.flatMap(({ body }) => idsOf(body.data))).toEqual(whole)
      const paged: string[] = []
      for (let cursor: string | null | undefined = null; cursor !== undefined;) {
        const { body } = await ask({ limit, cursor, include_count: true })
        expect(body.pagination.total).toBe(whole.length)
        paged.push(...idsOf(body.data))
        cursor = body.pagination.next_cursor ?? undefined
      }
      expect(paged).toEqual(whole)
      const data = { title: 'A view', type: 'table', filter, sorts }
      const view = (await succeed(service.request('POST', '/v2/lists/pipeline/views', { data }))).data
      const { body } = await ask({ filter: undefined, filter_view_id: view.id.view_id })
      expect(idsOf(body.data)).toEqual(whole)
    })
    await fc.assert(property, { numRuns: Math.ceil(RUNS / 10), seed: 4 })
  }, 600_000)
})
