/** Reads the entries of a record that were removed from their lists. */

import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import type { EntryWrite } from '#engine/attachments/attachments'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { ListType } from '#engine/data-model/model'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { ActivityRead } from './source'

export interface RemovedEntry {
  readonly id: string
  readonly list: ListType
  readonly created: EntryWrite
  readonly removed: EntryWrite
}

/** Of the given lists, newest first by when the entry was created or removed. */
export async function listRemovedEntries(
  { context, recordId, at, id, limit }: ActivityRead,
  lists: readonly ListType[],
  time: 'created_at' | 'removed_at',
): Promise<RemovedEntry[]> {
  const byId = new Map(lists.map((list) => [list.id, list]))
  const rows = await controlQueriesIn(context.db.sql)
    .selectFrom('relata.removed_entries')
    .select(['entry_id', 'list_id', 'created_at', 'created_by', 'removed_at', 'removed_by'])
    .where('workspace_id', '=', context.model.workspace.id)
    .where('record_id', '=', recordId)
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
