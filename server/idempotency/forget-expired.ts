/** Deletes answers that nobody may ask for any more, beside the service's work, a few at a time. */

import type { Database } from '../../db/connect'
import type { Clock } from '../time'
import { forgetAnswers } from './store'

const EVERY_MS = 600_000
const AT_ONCE = 1000

export interface Forgetting {
  stop(): Promise<void>
}

/** Any number of processes may do so: they pass over each other's. */
export function forgetExpiredAnswers(db: Database, now: Clock, everyMs = EVERY_MS): Forgetting {
  let running: Promise<void> | undefined
  const stopping = new AbortController()
  const forget = async () => {
    while (!stopping.signal.aborted && (await forgetAnswers(db, now(), AT_ONCE)) === AT_ONCE);
  }
  const timer = setInterval(() => {
    running ??= forget()
      .catch((error) => console.error('Deleting expired answers failed.', error))
      .finally(() => (running = undefined))
  }, everyMs)
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await running
    },
  }
}
