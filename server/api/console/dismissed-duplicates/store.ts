/** The rows of dismissed duplicates. Each pair is stored once, the smaller id first. */

import type { Database } from '#db/connect'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'

export interface Pair {
  readonly workspaceId: string
  readonly recordId: string
  readonly otherRecordId: string
}

const inOrder = ({ recordId, otherRecordId }: Pair): [string, string] =>
  recordId < otherRecordId ? [recordId, otherRecordId] : [otherRecordId, recordId]

/** The ids of the records that a record is no duplicate of, the latest first. */
export async function listDismissed(
  { control }: Pick<Database, 'control'>,
  { workspaceId, recordId }: Omit<Pair, 'otherRecordId'>,
  limit: number,
): Promise<string[]> {
  const rows = await control
    .selectFrom('relata.dismissed_duplicates')
    .select(['record_id', 'other_record_id'])
    .where('workspace_id', '=', workspaceId)
    .where((where) => where.or([where('record_id', '=', recordId), where('other_record_id', '=', recordId)]))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ record_id, other_record_id }) => (record_id === recordId ? other_record_id : record_id))
}

export async function insertDismissal(
  { control }: Pick<Database, 'control'>,
  pair: Pair,
  { actor, now }: { readonly actor: number; readonly now: Clock },
): Promise<void> {
  const [record_id, other_record_id] = inOrder(pair)
  await control
    .insertInto('relata.dismissed_duplicates')
    .values({
      workspace_id: pair.workspaceId,
      record_id,
      other_record_id,
      dismissed_by: actor,
      created_at: timestampFromMicros(now()),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteDismissal({ control }: Pick<Database, 'control'>, pair: Pair): Promise<void> {
  const [record_id, other_record_id] = inOrder(pair)
  await control
    .deleteFrom('relata.dismissed_duplicates')
    .where('workspace_id', '=', pair.workspaceId)
    .where('record_id', '=', record_id)
    .where('other_record_id', '=', other_record_id)
    .execute()
}

/** The records of older dismissals may have been deleted or changed. */
const KEPT_MICROS = 365 * 86_400_000_000

/** Returns the number of deleted rows. */
export async function deleteOldDismissals({ sql }: Database, now: Micros, limit: number): Promise<number> {
  const before = timestampFromMicros(now - KEPT_MICROS)
  const { count } = await sql`
    delete from relata.dismissed_duplicates d using (
      select workspace_id, record_id, other_record_id from relata.dismissed_duplicates
      where created_at < ${before} limit ${limit} for update skip locked) old
    where d.workspace_id = old.workspace_id and d.record_id = old.record_id and d.other_record_id = old.other_record_id`
  return count
}
