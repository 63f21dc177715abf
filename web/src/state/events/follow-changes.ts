/**
 * Follows changes to the records of an object or an activity, or to the entries of a list, in batches. A batch is applied after the one before
 * it, so that a thousand events cause a few requests.
 */

import { ChangeBatch, type Changes } from './change-batch'
import { changeEvents } from './change-events'

export interface ChangesConsumer {
  apply(changes: Changes): Promise<void>
  /** Reads the shown data again, because events were missed or a batch was too large. */
  refresh(): Promise<void>
}

const BATCH_MS = 250

/** A larger batch is not applied: the consumer refreshes instead. */
const MAX_BATCH = 1000

/** `entityTypeId` is the id of the object, activity or list. Returns the function that ends it; for use in an effect. */
export function followChanges(entityTypeId: string, consumer: ChangesConsumer): () => void {
  let batch = new ChangeBatch(entityTypeId)
  let hasMissed = false
  let hasFailed = false
  let isBusy = false
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = async () => {
    timer = undefined
    if (isBusy || isEnded || (batch.size === 0 && !hasMissed)) return
    const { size } = batch
    const changes = batch.changes()
    const needsRefresh = hasMissed || hasFailed || size > MAX_BATCH
    batch = new ChangeBatch(entityTypeId)
    hasMissed = false
    hasFailed = false
    isBusy = true
    try {
      await (needsRefresh ? consumer.refresh() : consumer.apply(changes))
    } catch {
      hasFailed = true // the next event causes a refresh
    }
    isBusy = false
    if (batch.size > 0 || hasMissed) schedule()
  }
  const schedule = () => (timer ??= setTimeout(() => void flush(), BATCH_MS))

  const stop = changeEvents.follow({
    onevent(event) {
      if (batch.add(event)) schedule()
    },
    onmissed() {
      hasMissed = true
      schedule()
    },
  })
  return () => {
    isEnded = true
    clearTimeout(timer)
    stop()
  }
}

/** Follows several objects, lists and activities. */
export function followAllChanges(entityTypeIds: readonly string[], consumer: ChangesConsumer): () => void {
  const ends = entityTypeIds.filter((id) => id !== '').map((id) => followChanges(id, consumer))
  return () => ends.forEach((end) => end())
}
