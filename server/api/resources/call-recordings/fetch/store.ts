/**
 * The videos that are still to be fetched, and their leases: one process fetches a video until its lease ends, and renews the
 * lease meanwhile. Statements lock the recording before its fetch, as a deletion does.
 */

import { sql as expression } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { CallRecording } from '#api/resources/call-recordings/store'

/** Names one lease; a process makes a new id for each video it leases. */
export type FetchLeaseId = string

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
  readonly leaseId: FetchLeaseId
  /** The number of attempts, including this one. */
  readonly attempts: number
}

const LEASE_MICROS = 60_000_000
/** Slow hosts of one workspace hold up no other workspace. */
const MAX_OF_A_WORKSPACE = 2

const leaseEnd = (now: Micros): string => timestampFromMicros(now + LEASE_MICROS)

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

/** Leases the video that is due first; undefined when none is due. A lease that has ended makes its video due. */
export async function leaseFetch(
  { sql, pools }: Database,
  leaseId: FetchLeaseId,
  now: Micros,
): Promise<LeasedFetch | undefined> {
  const at = timestampFromMicros(now)
  const [row] = await sql<
    [{ workspace_id: string; call_recording_id: string; url: string; size: string; attempts: number }?]
  >`
    update relata.call_recording_fetches set leased_by = ${leaseId}, due_at = ${leaseEnd(now)}, worker = ${pools.applicationName}, attempts = attempts + 1
    where (workspace_id, call_recording_id) = (
      select workspace_id, call_recording_id from relata.call_recording_fetches due
      where due_at <= ${at} and not exists (select from relata.installation where held_at is not null)
        and ${MAX_OF_A_WORKSPACE} > (
        select count(*) from relata.call_recording_fetches leased
        where leased.workspace_id = due.workspace_id and leased.leased_by is not null and leased.due_at > ${at})
      order by due_at limit 1 for update skip locked)
    returning workspace_id, call_recording_id, url, size, attempts`
  if (row === undefined) return undefined
  const { workspace_id: workspaceId, call_recording_id: recordingId, url, size, attempts } = row
  return { workspaceId, recordingId, url, size: Number(size), leaseId, attempts }
}

/** Returns false when the recording was deleted, or when another process has leased its video. */
export async function renewLease(db: Sql, fetch: LeasedFetch, now: Micros): Promise<boolean> {
  const { numUpdatedRows } = await updateLeased(db, fetch, { due_at: leaseEnd(now) })
  return numUpdatedRows > 0n
}

/** Ends the lease. The video is due again at `dueAt`. */
export async function postponeFetch(
  db: Sql,
  fetch: LeasedFetch,
  { dueAt, attempts }: { readonly dueAt: Micros; readonly attempts: number },
): Promise<void> {
  await updateLeased(db, fetch, { due_at: timestampFromMicros(dueAt), leased_by: null, attempts })
}

const updateLeased = (
  db: Sql,
  { workspaceId, recordingId, leaseId }: LeasedFetch,
  change: { readonly due_at: string; readonly leased_by?: null; readonly attempts?: number },
) =>
  controlQueriesIn(db)
    .updateTable('relata.call_recording_fetches')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('call_recording_id', '=', recordingId)
    .where('leased_by', '=', leaseId)
    .executeTakeFirstOrThrow()

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
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', recordingId)
    .forUpdate()
    .executeTakeFirst()
  if (recording === undefined) return undefined
  const { numDeletedRows } = await control
    .deleteFrom('relata.call_recording_fetches')
    .where('workspace_id', '=', workspaceId)
    .where('call_recording_id', '=', recordingId)
    .where('leased_by', '=', leaseId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return undefined
  await control
    .updateTable('relata.call_recordings')
    .set({ status: expression<string>`${end.status}`, blob_digest: end.blob_digest })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', recordingId)
    .execute()
  return recording
}
