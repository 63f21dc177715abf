/** The rows of entries by their parent record. */

import type { Sql } from '#db/connect'
import type { ListType } from '#engine/data-model/model'

/** Whether a record has an entry in a list. */
export async function hasEntry(sql: Sql, list: ListType, recordId: string): Promise<boolean> {
  const query = `select 1 from ${list.table} where parent_record_id = $1 limit 1`
  return (await sql.unsafe(query, [recordId], { prepare: true })).length > 0
}

/** An entry, with its list. */
export interface EntryRow {
  readonly list: number
  readonly id: string
  readonly created_at: string
}

/** Reads a page of the entries of a record in these lists, the newest last. */
export async function listEntriesOf(
  sql: Sql,
  lists: readonly ListType[],
  recordId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<EntryRow[]> {
  if (lists.length === 0) return []
  const entries = lists.map(
    ({ number, table }) => `select ${number} as list, id, created_at from ${table} where parent_record_id = $1`,
  )
  const query = `${entries.join(' union all ')} order by created_at, id limit $2 offset $3`
  return sql.unsafe<EntryRow[]>(query, [recordId, limit, offset])
}
