/**
 * Publishes what is in the outbox, soon after it was written here and within a second after another process wrote it and
 * died. Every process runs one; they take turns.
 */

import type { Database } from '../../db/connect'
import { logError } from '../logging/log-error'
import type { Clock } from '../timing/clock'
import { MAX_BATCH, publishBatch, type OnPublish } from './publish'

export interface Publisher {
  /** Something was written. */
  signal(): void
  /** Finishes the batch it is at. */
  stop(): Promise<void>
}

/** Beneath all waking: what others left behind is found this often. */
const POLL_MS = 1_000
/**
 * After a batch, the next is gathered for some times as long as that took, but not for long: most of what a small one costs
 * is its transaction. So what comes alone is told at once, and many writes leave most of the machine to those who write.
 */
const GATHERED = 3
const MOST_GATHERED_MS = 20
/** With more writes than that the machine has better to do than many small batches. */
const BUSY_PER_MS = 0.5
const GATHERED_WHEN_BUSY_MS = 80

/** `onPublished` is called when a batch and what `onPublish` made of it are committed. */
export function runPublisher(
  db: Database,
  now: Clock,
  onPublish: OnPublish,
  onPublished: () => void = () => {},
  pollMs = POLL_MS,
): Publisher {
  const state = { isStopped: false }
  let isWoken = true
  let ring = () => {}

  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs)
      ring = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const work = async () => {
    for (let ended = performance.now(); !state.isStopped;) {
      isWoken = false
      const begun = performance.now()
      const taken = await publishBatch(db, now, onPublish).catch(tell)
      const isBusy = taken > BUSY_PER_MS * (performance.now() - ended)
      ended = performance.now()
      if (taken > 0) {
        onPublished()
        const some = Math.min(GATHERED * (ended - begun), MOST_GATHERED_MS)
        if (taken < MAX_BATCH) await Bun.sleep(isBusy ? GATHERED_WHEN_BUSY_MS : some)
      } else if (!isWoken && !state.isStopped) await rest()
    }
  }
  const working = work()

  return {
    signal() {
      isWoken = true
      ring()
    },
    async stop() {
      state.isStopped = true
      ring()
      await working
    },
  }
}

/** Nothing is lost: the events stay in the outbox until a later turn. */
function tell(error: unknown): 0 {
  logError('Events could not be published yet.', error)
  return 0
}
