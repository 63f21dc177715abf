import { type Database, prepareOptions, runOnLookupPool } from '#db/connect'
import type { DataModel, RecordType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

export interface TrashRow {
  readonly id: string
  readonly label: string | null
  readonly deleted_at: string
  readonly deleted_by: number
  readonly expires_at: string
  readonly merged_into: string | null
  /** The time of a record of an activity. */
  readonly time: string | null
}

interface TrashList {
  /** SQL over the record's row `h`. */
  readonly label: string
  readonly time: string
  readonly now: Micros
  /** The keys of the row before the page. */
  readonly after: readonly (string | null)[] | undefined
  readonly limit: number
}

/** The records of an object that can be restored, the newest deletion first. */
export function listTrash(
  db: Database,
  { schema }: DataModel,
  object: RecordType,
  { label, time, now, after, limit }: TrashList,
): Promise<readonly TrashRow[]> {
  const statement = `
    select t.id, ${label} as label, t.deleted_at, t.deleted_by, t.expires_at, t.merged_into,
      ${time} as time
    from (
      select * from ${schema}.trash where object = ${object.number} and expires_at > $1
      ${after ? 'and (deleted_at, id) < ($3::timestamptz, $4::uuid)' : ''} order by deleted_at desc, id desc limit $2
    ) t, json_populate_record(null::${object.table}, t.content) h order by t.deleted_at desc, t.id desc`
  const [deletedAt = null, id = null] = after ?? []
  const parameters = [timestampFromMicros(now), limit, ...(after ? [deletedAt, id] : [])]
  return runOnLookupPool(db, async (sql) => sql.unsafe<TrashRow[]>(statement, parameters, prepareOptions(statement)))
}
