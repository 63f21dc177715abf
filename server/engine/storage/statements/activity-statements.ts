/** The rows of workspace tables that the activity of a record shows. */

import type { Sql } from '#db/connect'
import type { ActivityType, Attribute, DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { refersSql } from './reference-statements'
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

/** An activity, and its attributes that may refer to the record. */
export interface ReferringActivity {
  readonly activity: ActivityType
  readonly references: readonly Attribute[]
  /** The SQL of what its records are called, over the row `h`. */
  readonly label: string
  /** The SQL of when its records happened, over the row `h`. */
  readonly time: string
}

export interface ActivityRecord extends ActivityStamp {
  readonly activity: ActivityType
  readonly id: string
  readonly label: string | null
}

interface ActivityRecordRow {
  readonly activity: number
  readonly id: string
  readonly at: string
  readonly created_by: number
  readonly label: string | null
}

/** Returns the records of activities that refer to the record and happened before `at`, the newest first. */
export async function listActivityRecordsBefore(
  sql: Sql,
  model: DataModel,
  activities: readonly ReferringActivity[],
  recordId: string,
  { at, id, limit }: { readonly at: number; readonly id: string; readonly limit: number },
): Promise<ActivityRecord[]> {
  const selects = activities.map(
    ({ activity: { number, table }, references, label, time }) => `
      select ${number} as activity, h.id, ${time} as at, h.created_by, ${label} as label from ${table} h
      where ${refersToSql(model, references)} and (${time}, h.id) < ($2, $3)`,
  )
  // Without `materialized`, PostgreSQL may read whole tables in the order of the time to meet the limit.
  const rows = await sql.unsafe<ActivityRecordRow[]>(
    `with found as materialized (${selects.join(' union all ')})
     select * from found order by at desc, id desc limit $4`,
    [recordId, timestampFromMicros(at), id, limit],
  )
  const byNumber = new Map(activities.map(({ activity }) => [activity.number, activity]))
  return rows.flatMap(({ activity: number, at, created_by, ...row }) => {
    const activity = byNumber.get(number)
    return activity === undefined ? [] : [{ ...row, activity, at: microsFromPostgres(at), actor: created_by }]
  })
}

/** Returns the records of the activity that refer to the record and changed after their creation, with what they are called. */
export async function findChangedActivityRecords(
  sql: Sql,
  model: DataModel,
  { activity: { table }, references, label }: ReferringActivity,
  recordId: string,
  limit: number,
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await sql.unsafe<{ id: string; label: string | null }[]>(
    `with found as materialized (
       select h.id, h.updated_at, ${label} as label from ${table} h
       where ${refersToSql(model, references)} and h.updated_at > h.created_at)
     select id, label from found order by updated_at desc, id desc limit $2`,
    [recordId, limit],
  )
  return new Map(rows.map((row) => [row.id, row.label]))
}

const refersToSql = (model: DataModel, references: readonly Attribute[]): string =>
  `(${references.map((reference) => refersSql(model, reference, 'h', '$1::uuid')).join(' or ')})`
