/** Sources of the activity. The entries of a record in the lists that the caller sees. */

import { visibleLists } from '#access/list-access/list-access'
import type { DataModel, ListType } from '#engine/data-model/model'
import type { Scope } from '#vocabulary/scopes'
import { type ActivityRead, type ActivitySource, changedAttributesText, type Item, itemsOf, itemText } from './source'
import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import type { EntryWrite } from '#engine/attachments/attachments'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { listEntriesBefore } from '#engine/storage/statements/activity-statements'
import { attributeType } from '#engine/attribute-types/registry'
import { findEntriesFor, listsOf } from '#engine/storage/read-entities'
import { type Change, readChanges } from '#engine/storage/changes'
import { attributesWithHistory, changeIdOf } from './record-sources'

export const ENTRY_SCOPES: readonly Scope[] = ['list_entry:read', 'list_configuration:read']

export function visibleListsOf({ context, object }: Pick<ActivityRead, 'context' | 'object'>): ListType[] {
  const visible = new Set(visibleLists(context))
  return listsOf(context.model, object).filter((list) => visible.has(list))
}

/** JSON text of an entry. */
const entryText = (list: ListType, entryId: string): string =>
  JSON.stringify({ list_id: list.id, list_api_slug: list.api_slug, entry_id: entryId })

/** An entry that was removed from its list. */
interface RemovedEntry {
  readonly id: string
  readonly list: ListType
  readonly created: EntryWrite
  readonly removed: EntryWrite
}

/** Of the given lists, newest first by when the entry was created or removed. */
async function listRemovedEntries(
  { context, recordId, at, id, limit }: ActivityRead,
  lists: readonly ListType[],
  time: 'created_at' | 'removed_at',
): Promise<RemovedEntry[]> {
  const byId = new Map(lists.map((list) => [list.id, list]))
  const rows = await controlQueriesIn(context.db.sql)
    .selectFrom('relata.removed_entries')
    .select(['entry_id', 'list_id', 'created_at', 'created_by', 'removed_at', 'removed_by'])
    .where(equal({ workspace_id: context.model.workspace.id, record_id: recordId }))
    .where(sql<boolean>`list_id = any(${renderArray([...byId.keys()])}::uuid[])`)
    .where(({ eb, refTuple, tuple }) => eb(refTuple(time, 'entry_id'), '<', tuple(timestampFromMicros(at), id)))
    .orderBy(time, 'desc')
    .orderBy('entry_id', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap((row) => {
    const list = byId.get(row.list_id)
    const created = { at: microsFromPostgres(row.created_at), actor: row.created_by }
    const removed = { at: microsFromPostgres(row.removed_at), actor: row.removed_by }
    return list === undefined ? [] : [{ id: row.entry_id, list, created, removed }]
  })
}

/** Entries that the record got in lists, also those that were removed later. */
export const entriesAddedSource: ActivitySource = {
  type: 'entry.added',
  rank: 3,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const lists = visibleListsOf(read)
    if (lists.length === 0) return []
    const [present, removed] = await Promise.all([
      listEntriesBefore(read.context.db.sql, lists, read.recordId, read),
      listRemovedEntries(read, lists, 'created_at'),
    ])
    const itemOf = (list: ListType, id: string, at: number, actor: number): Item => {
      const head = { type: 'entry.added', at, actor } as const
      return { at, id, text: itemText(read.context.model, head, { entry: entryText(list, id) }) }
    }
    const items = [
      ...present.map(({ list, id, at, actor }) => itemOf(list, id, at, actor)),
      ...removed.map(({ list, id, created }) => itemOf(list, id, created.at, created.actor)),
    ]
    return itemsOf(items, read)
  },
}

/** Changes of the statuses of the record's entries. Deleting the entry deletes them. */
export const entriesMovedSource: ActivitySource = {
  type: 'entry.moved',
  rank: 4,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const items = await Promise.all(visibleListsOf(read).map((list) => readMoves(read, list)))
    return itemsOf(items.flat(), read)
  },
}

async function readMoves({ context, recordId, at, limit }: ActivityRead, list: ListType): Promise<Item[]> {
  const { model, db } = context
  const attributes = attributesWithHistory(model, list).filter(
    ({ type }) => attributeType(type).optionKind === 'status',
  )
  if (attributes.length === 0) return []
  const entities = await findEntriesFor(db.sql, model, list, recordId)
  const changes = await readChanges(db.sql, model, { entities, attributes, through: at, times: limit + 1 })
  return changes.map((change) => ({ at: change.at, id: changeIdOf(change), text: moveText(model, list, change) }))
}

const moveText = (model: DataModel, list: ListType, { entityId, at, actor, attributes }: Change): string =>
  itemText(
    model,
    { type: 'entry.moved', at, actor },
    { entry: entryText(list, entityId), attributes: changedAttributesText(model, attributes) },
  )

/** Entries of the record that were removed from their lists. */
export const entriesRemovedSource: ActivitySource = {
  type: 'entry.removed',
  rank: 5,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const lists = visibleListsOf(read)
    if (lists.length === 0) return []
    const removed = await listRemovedEntries(read, lists, 'removed_at')
    return removed.map(({ id, list, removed: { at, actor } }) => {
      const head = { type: 'entry.removed', at, actor } as const
      return { at, id, text: itemText(read.context.model, head, { entry: entryText(list, id) }) }
    })
  },
}
