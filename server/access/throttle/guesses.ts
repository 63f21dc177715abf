/**
 * Limits guesses of secrets. Only wrong guesses count. While a guess is checked it is pending and counts as wrong, so that
 * concurrent guesses are limited like consecutive ones. A guess that only pending guesses stop waits for their outcome and
 * is not refused, however long their checks take. See docs/decisions/sign-in.md.
 */

import type { Database } from '#db/connect'
import type { Clock, Micros } from '#base/timing/clock'
import {
  addPending,
  type Attempts,
  lockAttempts,
  removePending,
  type Rule,
  saveGuesses,
  tooManyAttempts,
} from './throttle'

export interface Limit {
  readonly subject: string
  readonly rule: Rule
  /** Whether a right guess deletes the count of wrong ones. */
  readonly clearsOnSuccess?: boolean
}

/** For how long a guess counts as pending at most. Its process may be dead. */
const PENDING_MICROS = 60_000_000
/** A guess waits for so long after the last outcome. Only reservations of other processes can make it wait longer. */
const MAX_WAIT_MICROS = PENDING_MICROS
/** A client whose guess waited too long may try again after this time. */
const RETRY_AFTER_MICROS = 1_000_000

/** Runs `check` when no limit is reached, and returns its answer. Throws 429. */
export async function checkGuess<T extends { readonly isRight: boolean }>(
  db: Database,
  limits: readonly Limit[],
  now: Clock,
  check: () => Promise<T>,
): Promise<T> {
  const reserved: Limit[] = []
  let outcome: Outcome = 'unknown'
  try {
    for (const limit of limits) {
      await reserve(db, limit, now)
      reserved.push(limit)
    }
    const answer = await check()
    outcome = answer.isRight ? 'right' : 'wrong'
    return answer
  } finally {
    for (const limit of reserved) await recordOutcome(db, limit, now(), outcome)
  }
}

type Outcome = 'right' | 'wrong' | 'unknown'

/** Reserves guesses on one subject in the order of their arrival. */
function reserve(db: Database, limit: Limit, now: Clock): Promise<void> {
  return runInOrder(db, limit.subject, async () => {
    for (let latest = now() + MAX_WAIT_MICROS; ;) {
      const reservation = await tryReserve(db, limit, now())
      if (reservation === 'reserved') return
      if (reservation !== 'pending') throw tooManyAttempts(reservation.freeAt)
      if (now() > latest) throw tooManyAttempts(now() + RETRY_AFTER_MICROS)
      if (await waitForOutcome(db, limit.subject)) latest = now() + MAX_WAIT_MICROS
    }
  })
}

/** Returns the attempts that refuse the guess, or `pending` when the outcome of pending guesses decides. */
type Reservation = 'reserved' | 'pending' | Attempts

function tryReserve(db: Database, { subject, rule }: Limit, now: Micros): Promise<Reservation> {
  return db.sql.begin(async (tx) => {
    const { before, pending } = await lockAttempts(tx, subject, now)
    if (before !== undefined && before.freeAt > now) return before
    let ifAllWrong = before
    for (let count = 0; count < pending; count++) ifAllWrong = rule(ifAllWrong, now)
    if (ifAllWrong !== undefined && ifAllWrong.freeAt > now) return 'pending' as const
    await addPending(tx, subject, pending, now + PENDING_MICROS)
    return 'reserved' as const
  }) as Promise<Reservation> // the driver's type for the callback's result is wider
}

/** A check that failed has the outcome `unknown` and counts as neither right nor wrong. */
async function recordOutcome(
  db: Database,
  { subject, rule, clearsOnSuccess }: Limit,
  now: Micros,
  outcome: Outcome,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const { before } = await lockAttempts(tx, subject, now)
    await removePending(tx, subject)
    if (outcome === 'wrong') await saveGuesses(tx, subject, rule(before, now))
    if (outcome === 'right' && clearsOnSuccess === true) {
      await saveGuesses(tx, subject, { count: 0, since: now, freeAt: now })
    }
  })
  signalOutcome(db, subject)
}

/** Runs the work on one subject in the order of its arrival in this process. */
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
async function runInOrder<T>(db: Database, subject: string, work: () => Promise<T>): Promise<T> {
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
async function waitForOutcome(db: Database, subject: string): Promise<boolean> {
  const queue = byDatabase.get(db)?.get(subject)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (queue !== undefined) queue.wake = () => resolve(true)
  const timer = setTimeout(resolve, POLL_MS, false)
  const isOutcome = await promise
  clearTimeout(timer)
  return isOutcome
}

const signalOutcome = (db: Database, subject: string): void => byDatabase.get(db)?.get(subject)?.wake()
