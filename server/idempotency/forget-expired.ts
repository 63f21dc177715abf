/** Deletes answers that nobody may ask for any more, beside the service's work, a few at a time. */

import type { Database } from '../../db/connect'
import { repeat, type Repeating } from '../repeat'
import type { Clock } from '../time'
import { forgetAnswers } from './store'

const EVERY_MS = 600_000
const AT_ONCE = 1000

/** Any number of processes may do so: they pass over each other's. */
export function forgetExpiredAnswers(db: Database, now: Clock): Repeating {
  const forget = async (stopping: AbortSignal) => {
    while (!stopping.aborted && (await forgetAnswers(db, now(), AT_ONCE)) === AT_ONCE);
  }
  return repeat(EVERY_MS, forget, 'Expired answers could not be deleted yet.')
}
