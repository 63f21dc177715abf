/** Deletes expired answers in the background, in batches. */

import type { Database } from '../../../db/connect'
import { repeat, type Repeating } from '../../timing/run-periodically'
import type { Clock } from '../../timing/clock'
import { forgetAnswers } from './store'

const INTERVAL_MS = 600_000
const BATCH_SIZE = 1000

/** Several processes may run this: each skips the rows that another one has locked. */
export function forgetExpiredAnswers(db: Database, now: Clock): Repeating {
  const forget = async (stopping: AbortSignal) => {
    while (!stopping.aborted && (await forgetAnswers(db, now(), BATCH_SIZE)) === BATCH_SIZE);
  }
  return repeat(INTERVAL_MS, forget, 'Expired answers could not be deleted yet.')
}
