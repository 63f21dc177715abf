/** Keeps what came of the attempts of all lanes, as many at once as gather meanwhile. Decision 0068. */

import type { Database } from '../../../db/connect'
import { logError } from '../../logging/log-error'
import { isRefusal } from './data-error'
import { markFailed, recordOutcomes, tellOutcomes, type Outcome } from './save-attempts'

export interface Recorder {
  /** Resolves when it is kept, or will not be: false when its delivery would be found waiting still. */
  record(outcome: Outcome): Promise<boolean>
  /** From now on, what the database does not take at once is let go: it stays due. */
  giveUp(): void
}

export interface RecorderOptions {
  readonly db: Database
  /** From 0 to 1; spreads retries. */
  readonly random: () => number
  /** Called for each attempt that could not be kept as it was. */
  readonly onRefused?: (() => void) | undefined
}

/** At most this many in one statement. */
const MOST_AT_ONCE = 500
/** Nobody waits for what came of attempts, and many at once cost little more than one. */
const GATHER_MS = 20
const RETRY_MS = 1_000

interface Entry {
  readonly outcome: Outcome
  readonly kept: (isKept: boolean) => void
}

export function createRecorder(options: RecorderOptions): Recorder {
  const state = { isPatient: true }
  let gathering: Entry[] = []
  let writing: Promise<void> | undefined

  const write = async () => {
    while (gathering.length > 0) {
      const batch = gathering.slice(0, MOST_AT_ONCE)
      gathering = gathering.slice(MOST_AT_ONCE)
      await keep(options, state, batch)
      await tellOutcomes(
        options.db,
        batch.map(({ outcome }) => outcome),
      ).catch((error: unknown) => logError('Watchers could not be told of attempts.', error))
      if (gathering.length < MOST_AT_ONCE) await Bun.sleep(GATHER_MS)
    }
    writing = undefined
  }

  return {
    record: (outcome) =>
      new Promise((kept) => {
        gathering.push({ outcome, kept })
        writing ??= write()
      }),
    giveUp() {
      state.isPatient = false
    },
  }
}

type Patience = { readonly isPatient: boolean }

/** A database that is away is asked again until it is back. One that refuses some of them is given them singly. */
async function keep(options: RecorderOptions, patience: Patience, batch: readonly Entry[]): Promise<void> {
  const { db, random } = options
  const outcomes = batch.map(({ outcome }) => outcome)
  for (;;) {
    const problem = await problemOf(recordOutcomes(db, outcomes, random))
    if (problem !== undefined && isRefusal(problem)) return keepSingly(options, patience, batch, problem)
    if (problem !== undefined) logError('Attempts could not be recorded yet.', problem)
    if (problem === undefined || !patience.isPatient) {
      for (const { kept } of batch) kept(problem === undefined)
      return
    }
    await Bun.sleep(RETRY_MS)
  }
}

async function keepSingly(options: RecorderOptions, patience: Patience, batch: readonly Entry[], problem: unknown) {
  const [only] = batch
  if (batch.length === 1 && only !== undefined) return keepLess(options, only, problem)
  for (const entry of batch) await keep(options, patience, [entry])
}

/** Without what the receiver said; and if that is refused as well, the delivery is given up. */
async function keepLess({ db, random, onRefused }: RecorderOptions, { outcome, kept }: Entry, problem: unknown) {
  const { id } = outcome.delivery
  onRefused?.()
  logError(`The database refused what came of an attempt at delivery ${id}.`, problem)
  const less = await problemOf(recordOutcomes(db, [withoutAnswer(outcome, problem)], random))
  if (less === undefined) return kept(true)
  const failed = await problemOf(markFailed(db, outcome))
  logError(`Delivery ${id} is given up, since no attempt at it can be recorded.`, failed ?? less)
  kept(failed === undefined)
}

const withoutAnswer = (outcome: Outcome, problem: unknown): Outcome => ({
  ...outcome,
  requestHeaders: {},
  attempted: {
    ...outcome.attempted,
    headers: {},
    body: `What the receiver said could not be kept: ${String(problem)}`,
  },
})

const problemOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error ?? 'nothing',
  )
