/**
 * Publishes the events in the outbox: soon after this process wrote them, and within a second after a process that died.
 * Every process runs a publisher; the publishers take turns.
 */

import type { Database } from '../../db/connect'
import { logError } from '../logging/log-error'
import type { Clock } from '../timing/clock'
import { createWakeSignal } from '../timing/wake-signal'
import { MAX_BATCH, publishBatch, type OnPublish } from './publish'

export interface Publisher {
  /** The outbox may have new events. */
  wake(): void
  /** Finishes the running batch. */
  stop(): Promise<void>
}

/** Finds the events that other processes left in the outbox. */
const POLL_MS = 1_000
/**
 * After a batch, the publisher collects the next one for a multiple of the time that the batch took, because a small batch
 * costs little more than its transaction. So a single event is published immediately, and many writes make few batches.
 */
const COLLECT_FACTOR = 3
const MAX_COLLECT_MS = 20
/** With more writes per millisecond than this, the publisher collects for longer. */
const BUSY_PER_MS = 0.5
const COLLECT_WHEN_BUSY_MS = 80

/** Calls `onPublished` when a batch and what `onPublish` wrote are committed. */
export function runPublisher(
  db: Database,
  now: Clock,
  onPublish: OnPublish,
  onPublished: () => void = () => {},
  pollMs = POLL_MS,
): Publisher {
  const state = { isStopped: false }
  const wakeSignal = createWakeSignal()

  const publish = async () => {
    for (let endedAt = performance.now(); !state.isStopped;) {
      wakeSignal.clear()
      const startedAt = performance.now()
      const writes = await publishBatch(db, now, onPublish).catch(logPublishError)
      const isBusy = writes > BUSY_PER_MS * (performance.now() - endedAt)
      endedAt = performance.now()
      if (writes > 0) {
        onPublished()
        const collectMs = Math.min(COLLECT_FACTOR * (endedAt - startedAt), MAX_COLLECT_MS)
        if (writes < MAX_BATCH) await Bun.sleep(isBusy ? COLLECT_WHEN_BUSY_MS : collectMs)
      } else if (!state.isStopped) await wakeSignal.wait(pollMs)
    }
  }
  const publishing = publish()

  return {
    wake: wakeSignal.wake,
    async stop() {
      state.isStopped = true
      wakeSignal.wake()
      await publishing
    },
  }
}

/** The events stay in the outbox for a later batch. */
function logPublishError(error: unknown): 0 {
  logError('Events could not be published yet.', error)
  return 0
}
