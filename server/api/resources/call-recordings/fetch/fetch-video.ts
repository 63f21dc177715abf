/**
 * Fetches videos beside requests: a few at a time in each process, the one due first before the others. See
 * docs/reference/call-recordings.md (Videos).
 */

import type { Database } from '#db/connect'
import type { BlobStore } from '#crm/blobs/blob-store'
import { isTransient } from '#base/errors/database'
import type { LogFailure } from '#base/timing/worker-statistics'
import type { Clock } from '#base/timing/clock'
import type { EventPipeline } from '#events/webhooks/event-pipeline'
import { runPeriodically } from '#base/timing/run-periodically'
import { recordCompletion } from '#api/resources/call-recordings/write'
import { queueWorker } from '#engine/queue'
import {
  endFetch,
  type FetchEnd,
  type LeasedFetch,
  leaseFetch,
  postponeFetch,
  renewLease,
  videoQueue,
} from '#api/resources/call-recordings/store'
import { type VideoClient, VideoError } from './video-client'

interface FetchContext {
  readonly db: Database
  readonly now: Clock
  readonly blobs: BlobStore
  readonly videos: VideoClient
  /** Woken after a change event was written. */
  readonly events?: Pick<EventPipeline, 'wake'>
}

interface FetchRun extends FetchContext {
  readonly logFailure: LogFailure
}

/** A stop interrupts the fetches of this process. Another process, or the next start, begins them again. */
export const videoWorker = ({ renewMs }: { readonly renewMs?: number | undefined } = {}) =>
  queueWorker<FetchContext>({
    name: 'videos',
    does: 'fetches videos',
    queue: videoQueue,
    everyMs: 5_000,
    slots: 6,
    async take(context, shutdown, logFailure) {
      const fetch = await leaseFetch(context.db, context.now())
      return fetch && (() => fetchVideo({ ...context, logFailure }, fetch, { shutdown, renewMs }))
    },
  })

/** A lease lasts six times as long. */
const RENEW_MS = 10_000

const SECOND = 1_000_000
/** The delays before the second and each later attempt. After the last one, the recording has failed. */
const DELAYS = [30 * SECOND, 120 * SECOND, 600 * SECOND, 3600 * SECOND]

/** After an error of the database. */
const RETRY_DELAY = 5 * SECOND

/** The process stops, or the lease is lost: the recording was deleted, or another process fetches the video. */
class Interrupted extends Error {}

/** Never rejects. `shutdown` interrupts the attempt, which then does not count. */
async function fetchVideo(
  context: FetchRun,
  fetch: LeasedFetch,
  { shutdown, renewMs = RENEW_MS }: { readonly shutdown: AbortSignal; readonly renewMs?: number | undefined },
): Promise<void> {
  const lost = new AbortController()
  const renewal = runPeriodically(
    renewMs,
    async () => {
      if (!(await renewLease(context.db.sql, fetch, context.now()))) lost.abort(new Interrupted())
    },
    'The lease of a video could not be renewed.',
  )
  try {
    await store(context, fetch, AbortSignal.any([lost.signal, shutdown]))
  } catch (error) {
    await settle(context, fetch, lost.signal.aborted || shutdown.aborted ? new Interrupted() : error).catch(
      // The lease ends, and a process takes the video over.
      (failure: unknown) => context.logFailure('The end of a fetch could not be stored.', failure),
    )
  } finally {
    await renewal.stop()
  }
}

async function store(context: FetchContext, fetch: LeasedFetch, stop: AbortSignal): Promise<void> {
  const { db, blobs, videos, now } = context
  if (fetch.attempts > DELAYS.length + 1) throw new VideoError('The process ended at each attempt.', true)
  const file = await blobs.receive(videos.read(fetch.url, fetch.size, stop), fetch.size)
  const isOurs = await renewLease(db.sql, fetch, now()).catch(async (error: unknown) => {
    await file.remove()
    throw error
  })
  if (!isOurs) {
    await file.remove()
    throw new Interrupted()
  }
  const { digest } = await blobs.save(fetch.workspaceId, file)
  await end(context, fetch, { status: 'completed', blob_digest: digest })
}

/** Stores the outcome of an attempt that stored no video. */
async function settle(context: FetchRun, fetch: LeasedFetch, error: unknown): Promise<void> {
  const { db, now, logFailure } = context
  // The attempt does not count. A full disk of the database lasts, and a video is large.
  const pause = error instanceof Interrupted ? 0 : isTransient(error) ? RETRY_DELAY : undefined
  if (pause !== undefined) return postponeFetch(db.sql, fetch, { dueAt: now() + pause, attempts: fetch.attempts - 1 })
  if (!(error instanceof VideoError)) logFailure('A video could not be stored.', error, { id: fetch.recordingId })
  const delay = DELAYS[fetch.attempts - 1]
  const isFinal = delay === undefined || (error instanceof VideoError && error.isFinal)
  if (isFinal) return end(context, fetch, { status: 'failed', blob_digest: null })
  await postponeFetch(db.sql, fetch, { dueAt: now() + delay, attempts: fetch.attempts })
}

/** A recording that was deleted meanwhile has no event. A blob that was stored for it is deleted with those without references. */
async function end({ db, now, events }: FetchContext, fetch: LeasedFetch, outcome: FetchEnd): Promise<void> {
  await db.sql.begin(async (tx) => {
    const recording = await endFetch(tx, fetch, outcome)
    if (recording !== undefined && outcome.status === 'completed')
      await recordCompletion(tx, fetch.workspaceId, recording, now())
  })
  events?.wake()
}
