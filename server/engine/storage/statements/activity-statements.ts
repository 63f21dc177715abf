/** The rows of workspace tables that the activity of a record shows. */

import type { Sql } from '#db/connect'
import type { DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'

/** Who created something, and when. */
export interface ActivityStamp {
  readonly at: number
  readonly actor: number
}

/** Returns the creation of a record, undefined when the record does not exist. */
export async function findCreation(
  sql: Sql,
  { table }: ObjectType,
  recordId: string,
): Promise<ActivityStamp | undefined> {
  const query = `select created_at, created_by from ${table} where id = $1`
  const [row] = await sql.unsafe<{ created_at: string; created_by: number }[]>(query, [recordId], { prepare: true })
  return row && { at: microsFromPostgres(row.created_at), actor: row.created_by }
}

interface Merge {
  readonly at: number
  /** Null for merges of earlier versions of the service, which did not store the actor. */
  readonly actor: number | null
  /** The ids of the merged records. */
  readonly ids: readonly string[]
}

interface MergeRow {
  readonly merged_at: string
  readonly merged_by: number | null
  readonly ids: readonly string[]
}

/** Returns the merges that made the record: its own, and those of records that were merged into it. */
export async function listMerges(sql: Sql, { schema }: DataModel, recordId: string): Promise<Merge[]> {
  const rows = await sql.unsafe<MergeRow[]>(
    `select merged_at, merged_by, array_agg(old_id order by old_id) as ids from ${schema}.merges
     where new_id = $1 group by merged_at, merged_by`,
    [recordId],
    { prepare: true },
  )
  return rows.map(({ merged_at, merged_by, ids }) => ({ at: microsFromPostgres(merged_at), actor: merged_by, ids }))
}

export interface EntryCreation extends ActivityStamp {
  readonly list: ListType
  readonly id: string
}

interface EntryRow {
  readonly list: number
  readonly id: string
  readonly created_at: string
  readonly created_by: number
}

/** Returns the entries of a record in these lists that were created before `at`, the newest first. */
export async function listEntriesBefore(
  sql: Sql,
  lists: readonly ListType[],
  recordId: string,
  { at, id, limit }: { readonly at: number; readonly id: string; readonly limit: number },
): Promise<EntryCreation[]> {
  const selects = lists.map(
    ({ number, table }) => `select ${number} as list, id, created_at, created_by from ${table}
      where parent_record_id = $1 and (created_at, id) < ($2, $3)`,
  )
  const rows = await sql.unsafe<EntryRow[]>(
    `select * from (${selects.join(' union all ')}) entries order by created_at desc, id desc limit $4`,
    [recordId, timestampFromMicros(at), id, limit],
  )
  const byNumber = new Map(lists.map((list) => [list.number, list]))
  return rows.flatMap((row) => {
    const list = byNumber.get(row.list)
    return list === undefined
      ? []
      : [{ list, id: row.id, at: microsFromPostgres(row.created_at), actor: row.created_by }]
  })
}
