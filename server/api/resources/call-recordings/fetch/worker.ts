/** Fetches videos beside requests: a few at a time in each process, the one due first before the others. */

import { queueWorker } from '#engine/queue'
import { type FetchContext, fetchVideo } from './fetch-video'
import { leaseFetch, videoQueue } from './store'

/** A stop interrupts the fetches of this process. Another process, or the next start, begins them again. */
export const videoWorker = ({ renewMs }: { readonly renewMs?: number | undefined } = {}) =>
  queueWorker<FetchContext>({
    name: 'videos',
    does: 'fetches videos',
    queue: videoQueue,
    everyMs: 5_000,
    slots: 6,
    async take(context, shutdown) {
      const fetch = await leaseFetch(context.db, context.now())
      return fetch && (() => fetchVideo(context, fetch, { shutdown, renewMs }))
    },
  })
