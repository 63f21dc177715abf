import type { Database } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import { type PeriodicTask, runPeriodically } from '#base/timing/run-periodically'
import { followFeeds } from './follow-feed'
import { refreshInteractions } from './refresh-records'

const INTERVAL_MS = 5_000

/** Keeps the interaction attributes of all workspaces up to date. Every process runs it. */
export const runInteractionWorker = (options: { readonly db: Database; readonly now: Clock }): PeriodicTask =>
  runPeriodically(
    INTERVAL_MS,
    async (stopping) => {
      await followFeeds(options, stopping)
      await refreshInteractions(options, stopping)
    },
    'The interaction attributes could not be refreshed.',
  )
