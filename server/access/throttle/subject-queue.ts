/** Who waits for whom in this process, by what they wait for. */

import type { Database } from '../../../db/connect'

interface Waiting {
  /** Ends when the last who came has had their turn. */
  last: Promise<unknown>
  /** Those who came and have not had their turn. */
  count: number
  wake: () => void
}

/** What other processes do is looked at this often. */
const LOOK_MS = 50

const byDatabase = new WeakMap<Database, Map<string, Waiting>>()

/** One after the other for each subject, in the order in which they came. */
export async function runInOrder<T>(db: Database, subject: string, act: () => Promise<T>): Promise<T> {
  const subjects = byDatabase.get(db) ?? new Map<string, Waiting>()
  byDatabase.set(db, subjects)
  const waiting = subjects.get(subject) ?? { last: Promise.resolve(), count: 0, wake: () => {} }
  subjects.set(subject, waiting)
  waiting.count += 1
  const turn = waiting.last.then(act)
  waiting.last = turn.catch(() => undefined)
  try {
    return await turn
  } finally {
    waiting.count -= 1
    if (waiting.count === 0) subjects.delete(subject)
  }
}

/** Resolves when something was signalOutcome on the subject here, or may have been elsewhere. For whoever has their turn. */
export async function waitForOutcome(db: Database, subject: string): Promise<void> {
  const waiting = byDatabase.get(db)?.get(subject)
  const { promise, resolve } = Promise.withResolvers<void>()
  if (waiting !== undefined) waiting.wake = resolve
  const timer = setTimeout(resolve, LOOK_MS)
  await promise
  clearTimeout(timer)
}

export const signalOutcome = (db: Database, subject: string): void => byDatabase.get(db)?.get(subject)?.wake()
