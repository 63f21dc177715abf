/** Runs the work on one subject in the order of its arrival in this process. */

import type { Database } from '#db/connect'

interface SubjectQueue {
  /** Settles with the last work in the queue. */
  last: Promise<unknown>
  /** How many pieces of work have not finished. */
  count: number
  /** Resolves the wait of `waitForOutcome` to true. */
  wake: () => void
}

/** Other processes send no signal, so a waiting process looks at the database this often. */
const POLL_MS = 50

const byDatabase = new WeakMap<Database, Map<string, SubjectQueue>>()

/** Runs `work` after all earlier work on the subject. */
export async function runInOrder<T>(db: Database, subject: string, work: () => Promise<T>): Promise<T> {
  const subjects = byDatabase.get(db) ?? new Map<string, SubjectQueue>()
  byDatabase.set(db, subjects)
  const queue = subjects.get(subject) ?? { last: Promise.resolve(), count: 0, wake: () => {} }
  subjects.set(subject, queue)
  queue.count += 1
  const running = queue.last.then(work)
  queue.last = running.catch(() => undefined)
  try {
    return await running
  } finally {
    queue.count -= 1
    if (queue.count === 0) subjects.delete(subject)
  }
}

/**
 * Resolves to true at the next outcome on the subject in this process, or to false after `POLL_MS`. Only running work may
 * call it.
 */
export async function waitForOutcome(db: Database, subject: string): Promise<boolean> {
  const queue = byDatabase.get(db)?.get(subject)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (queue !== undefined) queue.wake = () => resolve(true)
  const timer = setTimeout(resolve, POLL_MS, false)
  const isOutcome = await promise
  clearTimeout(timer)
  return isOutcome
}

export const signalOutcome = (db: Database, subject: string): void => byDatabase.get(db)?.get(subject)?.wake()
