/** Deletes expired answers in the background, in batches. */

import type { Database } from '../../../db/connect'
import { runPeriodically, type PeriodicTask } from '../../timing/run-periodically'
import type { Clock } from '../../timing/clock'
import { deleteExpiredResponses } from './store'

const INTERVAL_MS = 600_000
const BATCH_SIZE = 1000

/** Several processes may run this: each skips the rows that another one has locked. */
export function deleteExpiredAnswers(db: Database, now: Clock): PeriodicTask {
  const forget = async (stopping: AbortSignal) => {
    while (!stopping.aborted && (await deleteExpiredResponses(db, now(), BATCH_SIZE)) === BATCH_SIZE);
  }
  return runPeriodically(INTERVAL_MS, forget, 'Expired answers could not be deleted yet.')
}
