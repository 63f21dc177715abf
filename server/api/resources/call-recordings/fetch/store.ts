/**
 * The videos that are still to be fetched, and their leases: one process fetches a video until its lease ends, and renews the
 * lease meanwhile. Statements lock the recording before its fetch, as a deletion does.
 */

import { sql as expression } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { type Lease, released, renewed, takeDue, updateLeased } from '#engine/queue'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { CallRecording } from '#api/resources/call-recordings/store'

export interface FetchKey {
  readonly workspaceId: string
  readonly recordingId: string
}

export interface PendingFetch extends FetchKey {
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
