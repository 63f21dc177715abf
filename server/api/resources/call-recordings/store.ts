/** The rows of call recordings. `read.ts` has the statements of lists. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

export const CALL_RECORDING_COLUMNS = [
  'id',
  'meeting_id',
  'status',
  'blob_digest',
  'media_type',
  'created_at',
  'created_by',
] as const

interface CallRecordingKey {
  readonly meetingId: string
  readonly id: string
}

export async function findCallRecording(
  db: Sql | Transaction,
  workspaceId: string,
  { meetingId, id }: CallRecordingKey,
): Promise<CallRecording | undefined> {
  const row = await controlQueriesIn(db)
    .selectFrom('relata.call_recordings')
    .select(CALL_RECORDING_COLUMNS)
    .where(equal({ workspace_id: workspaceId, id, meeting_id: meetingId }))
    .executeTakeFirst()
  return row as CallRecording | undefined // a check of the table allows these statuses only
}

/** Returns false for a meeting that does not exist. No other transaction deletes the meeting until this one ends. */
export const lockMeeting = async (tx: Transaction, workspaceId: string, id: string): Promise<boolean> =>
  (await meeting(tx, workspaceId, id).forKeyShare().executeTakeFirst()) !== undefined

const meeting = (db: Sql | Transaction, workspaceId: string, id: string) =>
  controlQueriesIn(db)
    .selectFrom('relata.meetings')
    .select('id')
    .where(equal({ workspace_id: workspaceId, id }))

export async function insertCallRecording(tx: Transaction, workspaceId: string, row: CallRecording): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.call_recordings')
    .values({ workspace_id: workspaceId, ...row })
    .execute()
}

/** Deletes the transcript and the fetch as well. Returns false for a recording that does not exist. */
export async function deleteCallRecordingRow(
  db: Sql,
  workspaceId: string,
  { meetingId, id }: CallRecordingKey,
): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(db)
    .deleteFrom('relata.call_recordings')
    .where(equal({ workspace_id: workspaceId, id, meeting_id: meetingId }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** A call recording as the service stores it. */

export interface CallRecording {
  readonly id: string
  readonly meeting_id: string
  readonly status: 'processing' | 'completed' | 'failed'
  /** The digest of the stored video or audio; null without one. */
  readonly blob_digest: Buffer | null
  /** The type of the video or audio, also while it is fetched; null for a recording with a transcript only. */
  readonly media_type: string | null
  readonly created_at: string
  /** The number of the actor. */
  readonly created_by: number
}
