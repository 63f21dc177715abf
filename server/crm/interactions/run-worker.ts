import type { Database } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import { queueWorker } from '#engine/queue'
import { followFeeds } from './follow-feed'
import { refreshQueue } from './refresh-queue'
import { refreshInteractions } from './refresh-records'

/** Keeps the interaction attributes of all workspaces up to date. */
export const interactionWorker = queueWorker<{ readonly db: Database; readonly now: Clock }>({
  name: 'interactions',
  does: 'refreshes interaction attributes',
  queue: refreshQueue,
  everyMs: 5_000,
  take: async (options, stopping) => async () => {
    await followFeeds(options, stopping)
    await refreshInteractions(options, stopping)
    return false
  },
})
