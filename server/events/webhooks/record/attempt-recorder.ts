/** Stores the outcomes of the attempts of all queues, in batches. See docs/decisions/webhook-delivery.md. */

import type { Database } from '#db/connect'
import { isDataRefused } from '#base/errors/database'
import { logError } from '#base/logging/log-error'
import { failDelivery, notifyStreamsOf, saveAttempts, type AttemptOutcome } from './save-attempts'

export interface AttemptRecorder {
  /** Resolves to true when the outcome is stored, to false when it is given up and its delivery stays pending. */
  record(outcome: AttemptOutcome): Promise<boolean>
  /** From now on, the recorder gives up outcomes that the database does not store at the first try. */
  stopRetrying(): void
}

export interface RecorderOptions {
  /** From 0 to 1; spreads retries. */
  readonly random?: () => number
  /** Called for each attempt whose response the database refused. */
  readonly onRefused?: () => void
}

const MAX_BATCH = 500
/** No code waits for a record, and a batch costs little more than one record. */
const COLLECT_MS = 20
/** After a batch of this size, the recorder collects for longer. */
const BUSY_BATCH = 25
const COLLECT_WHEN_BUSY_MS = 80
const RETRY_MS = 1_000

interface QueuedOutcome {
  readonly outcome: AttemptOutcome
  readonly resolve: (isStored: boolean) => void
}

interface Recording {
  readonly db: Database
  readonly random: () => number
  readonly onRefused: () => void
  isRetrying: boolean
}

export function createRecorder(db: Database, options: RecorderOptions = {}): AttemptRecorder {
  const { random = Math.random, onRefused = () => {} } = options
  const recording: Recording = { db, random, onRefused, isRetrying: true }
  let queued: QueuedOutcome[] = []
  let writing: Promise<void> | undefined

  const write = async () => {
    while (queued.length > 0) {
      const batch = queued.slice(0, MAX_BATCH)
      queued = queued.slice(MAX_BATCH)
      await saveBatch(recording, batch)
      await notifyStreamsOf(db, outcomesOf(batch)).catch((error: unknown) =>
        logError('The streams could not be notified of attempts.', error),
      )
      if (queued.length < MAX_BATCH) await Bun.sleep(batch.length < BUSY_BATCH ? COLLECT_MS : COLLECT_WHEN_BUSY_MS)
    }
    writing = undefined
  }

  return {
    record: (outcome) =>
      new Promise((resolve) => {
        queued.push({ outcome, resolve })
        writing ??= write()
      }),
    stopRetrying() {
      recording.isRetrying = false
    },
  }
}

const outcomesOf = (batch: readonly QueuedOutcome[]) => batch.map(({ outcome }) => outcome)

/** Retries until the database is back. When the database refuses the data of a batch, each outcome is saved alone. */
async function saveBatch(recording: Recording, batch: readonly QueuedOutcome[]): Promise<void> {
  for (;;) {
    const error = await errorOf(saveAttempts(recording.db, outcomesOf(batch), recording.random))
    if (error !== undefined && isDataRefused(error)) return saveSingly(recording, batch, error)
    if (error !== undefined) logError('Attempts could not be recorded yet.', error)
    if (error === undefined || !recording.isRetrying) {
      for (const { resolve } of batch) resolve(error === undefined)
      return
    }
    await Bun.sleep(RETRY_MS)
  }
}

async function saveSingly(recording: Recording, batch: readonly QueuedOutcome[], error: unknown): Promise<void> {
  const [only] = batch
  if (batch.length === 1 && only !== undefined) return saveWithoutResponse(recording, only, error)
  for (const each of batch) await saveBatch(recording, [each])
}

/** When the database refuses this as well, the delivery fails. */
async function saveWithoutResponse(
  { db, random, onRefused }: Recording,
  { outcome, resolve }: QueuedOutcome,
  error: unknown,
): Promise<void> {
  const { id } = outcome.delivery
  onRefused()
  logError(`The database refused the outcome of an attempt at delivery ${id}.`, error)
  const secondError = await errorOf(saveAttempts(db, [withoutResponse(outcome, error)], random))
  if (secondError === undefined) return resolve(true)
  const failError = await errorOf(failDelivery(db, outcome))
  logError(`Delivery ${id} has failed, because no attempt at it can be recorded.`, failError ?? secondError)
  resolve(failError === undefined)
}

const withoutResponse = (outcome: AttemptOutcome, error: unknown): AttemptOutcome => ({
  ...outcome,
  requestHeaders: {},
  result: {
    ...outcome.result,
    headers: {},
    body: `The receiver's response could not be stored: ${String(error)}`,
  },
})

/** Undefined when the promise resolves. */
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error ?? 'unknown',
  )
