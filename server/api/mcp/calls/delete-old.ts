/** Deletes old calls of tools in the background, in batches. */

import type { Database } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import { runPeriodically, type PeriodicTask } from '#base/timing/run-periodically'
import { deleteToolCallsBefore } from './store'

const INTERVAL_MS = 600_000
const BATCH_SIZE = 1000
const DAY_MICROS = 24 * 3600 * 1_000_000

/** `days` is for how long calls are kept. */
export function deleteOldToolCalls(db: Database, now: Clock, days: number): PeriodicTask {
  const deleteOld = async (stopping: AbortSignal) => {
    while (
      !stopping.aborted &&
      (await deleteToolCallsBefore(db, now() - days * DAY_MICROS, BATCH_SIZE)) === BATCH_SIZE
    );
  }
  return runPeriodically(INTERVAL_MS, deleteOld, 'Old calls of tools could not be deleted yet.')
}
