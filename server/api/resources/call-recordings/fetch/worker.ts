/** Fetches videos beside requests: a few at a time in each process, the one due first before the others. */

import { logError } from '#base/logging/log-error'
import { createWorkLoop } from '#base/timing/run-periodically'
import { type FetchContext, fetchVideo } from './fetch-video'
import { leaseFetch } from './store'

/** The time in which a video of a dead worker is found after its lease. */
const POLL_EVERY_MS = 5_000
const SLOTS = 6

export interface FetchWorker {
  /** Makes the worker look for a video. */
  wake(): void
  /** Resolves when no video is being fetched and none is due. */
  settled(): Promise<void>
  /** Interrupts the fetches of this process. Another process, or the next start, begins them again. */
  stop(): Promise<void>
}

export function startFetchWorker(context: FetchContext): FetchWorker {
  const shutdown = new AbortController()
  const running = new Set<Promise<void>>()

  async function leaseNext(): Promise<boolean> {
    const fetch = await leaseFetch(context.db, crypto.randomUUID(), context.now())
    if (fetch === undefined) return false
    const attempt = fetchVideo(context, fetch, shutdown.signal).finally(() => {
      running.delete(attempt)
      loop.request()
    })
    running.add(attempt)
    return true
  }

  const loop = createWorkLoop(
    async () => {
      while (!shutdown.signal.aborted && running.size < SLOTS && (await leaseNext()));
    },
    (error) => logError('The worker that fetches videos failed; it tries again in five seconds.', error),
  )
  const polling = setInterval(loop.request, POLL_EVERY_MS)
  loop.request()

  async function settled(): Promise<void> {
    await loop.settled()
    if (running.size === 0) return
    await Promise.all(running)
    await settled()
  }

  return {
    wake: loop.request,
    settled,
    async stop() {
      shutdown.abort()
      clearInterval(polling)
      await settled()
      loop.stop()
    },
  }
}
