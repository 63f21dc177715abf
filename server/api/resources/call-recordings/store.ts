/**
 * The rows of call recordings, and the videos that are still to be fetched, with their leases: one process fetches a video until its
 * lease ends, and renews the lease meanwhile. Statements lock the recording before its fetch, as a deletion does. `read.ts` has the
 * statements of lists.
 */
import { sql as expression } from 'kysely'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { type Lease, released, renewed, takeDue, updateLeased } from '#engine/queue'

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

interface FetchKey {
  readonly workspaceId: string
  readonly recordingId: string
}

interface PendingFetch extends FetchKey {
  readonly url: string
  /** In bytes. */
  readonly size: number
}

export interface LeasedFetch extends PendingFetch {
  readonly leaseId: string
  /** The number of attempts, including this one. */
  readonly attempts: number
}

/** Slow hosts of one workspace hold up no other workspace. */
const MAX_OF_A_WORKSPACE = 2

/** A process renews its lease meanwhile. */
export const videoQueue = {
  table: 'relata.call_recording_fetches',
  id: 'call_recording_id',
  lease: 60_000_000,
  sends: true,
  isReady: (at: string) => expression<boolean>`${MAX_OF_A_WORKSPACE} > (
    select count(*) from relata.call_recording_fetches leased
    where leased.workspace_id = q.workspace_id and leased.leased_by is not null and leased.due_at > ${at}::timestamptz)`,
} as const

export async function insertFetch(tx: Transaction, fetch: PendingFetch, now: Micros): Promise<void> {
  const { workspaceId, recordingId, url, size } = fetch
  await controlQueriesIn(tx)
    .insertInto('relata.call_recording_fetches')
    .values({
      workspace_id: workspaceId,
      call_recording_id: recordingId,
      url,
      size: String(size),
      due_at: timestampFromMicros(now),
    })
    .execute()
}

/** Leases the video that is due first; undefined when none is due. */
export async function leaseFetch(db: Database, now: Micros): Promise<LeasedFetch | undefined> {
  const [row] = await takeDue(db, videoQueue, { now, limit: 1 })
  if (row === undefined) return undefined
  const { workspace_id: workspaceId, call_recording_id: recordingId, url, size, attempts, leased_by: leaseId } = row
  return { workspaceId, recordingId, url, size: Number(size), leaseId, attempts }
}

/** Returns false when the recording was deleted, or when another process has leased its video. */
export const renewLease = async (db: Sql, fetch: LeasedFetch, now: Micros): Promise<boolean> =>
  (await updateLeased(db, videoQueue, leaseOf(fetch), renewed(videoQueue, now), 'url')) !== undefined

/** Ends the lease. The video is due again at `dueAt`. */
export async function postponeFetch(
  db: Sql,
  fetch: LeasedFetch,
  { dueAt, attempts }: { readonly dueAt: Micros; readonly attempts: number },
): Promise<void> {
  await updateLeased(db, videoQueue, leaseOf(fetch), { ...released(dueAt), attempts }, 'url')
}

const leaseOf = ({ workspaceId, recordingId, leaseId }: LeasedFetch): Lease => ({
  workspaceId,
  id: recordingId,
  leaseId,
})

/** How a fetch ended: with the digest of the stored video, or without one. */
export type FetchEnd =
  | { readonly status: 'completed'; readonly blob_digest: Buffer }
  | { readonly status: 'failed'; readonly blob_digest: null }

/** Returns undefined and writes nothing when the recording was deleted, or when another process has leased its video. */
export async function endFetch(
  tx: Transaction,
  { workspaceId, recordingId, leaseId }: LeasedFetch,
  end: FetchEnd,
): Promise<Pick<CallRecording, 'id' | 'meeting_id' | 'created_by'> | undefined> {
  const control = controlQueriesIn(tx)
  const recording = await control
    .selectFrom('relata.call_recordings')
    .select(['id', 'meeting_id', 'created_by'])
    .where(equal({ workspace_id: workspaceId, id: recordingId }))
    .forUpdate()
    .executeTakeFirst()
  if (recording === undefined) return undefined
  const { numDeletedRows } = await control
    .deleteFrom('relata.call_recording_fetches')
    .where(equal({ workspace_id: workspaceId, call_recording_id: recordingId, leased_by: leaseId }))
    .executeTakeFirst()
  if (numDeletedRows === 0n) return undefined
  await control
    .updateTable('relata.call_recordings')
    .set({ status: expression<string>`${end.status}`, blob_digest: end.blob_digest })
    .where(equal({ workspace_id: workspaceId, id: recordingId }))
    .execute()
  return recording
}
