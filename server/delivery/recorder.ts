/** Keeps what came of the attempts of all lanes, as many at once as gather while the last ones are written. */

import type { Database } from '../../db/connect'
import { recordOutcomes, type Outcome } from './record'

export interface Recorder {
  /** Resolves when it is kept. */
  record(outcome: Outcome): Promise<void>
  /** From now on, what the database does not take at once is let go: it stays due. */
  giveUp(): void
}

/** At most this many in one statement. */
const MOST_AT_ONCE = 500
const RETRY_MS = 1_000

/** A database that is away is asked again until it is back. */
export function createRecorder(db: Database, random: () => number): Recorder {
  let gathering: { outcome: Outcome; kept: () => void }[] = []
  let writing: Promise<void> | undefined
  let isPatient = true

  const persist = async (outcomes: readonly Outcome[]) => {
    for (;;) {
      if ((await tryToPersist(db, outcomes, random)) || !isPatient) return
      await Bun.sleep(RETRY_MS)
    }
  }

  const write = async () => {
    while (gathering.length > 0) {
      const batch = gathering.slice(0, MOST_AT_ONCE)
      gathering = gathering.slice(MOST_AT_ONCE)
      const outcomes = batch.map(({ outcome }) => outcome)
      await persist(outcomes)
      for (const { kept } of batch) kept()
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
      isPatient = false
    },
  }
}

async function tryToPersist(db: Database, outcomes: readonly Outcome[], random: () => number): Promise<boolean> {
  try {
    await recordOutcomes(db, outcomes, random)
    return true
  } catch (error) {
    const message = 'Attempts could not be recorded yet.'
    console.error(JSON.stringify({ level: 'error', message, error: String(error) }))
    return false
  }
}
