/**
 * Limits guesses of secrets. Only wrong guesses count. While a guess is checked it is pending and counts as wrong, so that
 * concurrent guesses are limited like consecutive ones. A guess that only pending guesses stop waits for their outcome and
 * is not refused, however long their checks take. Decisions 0043 and 0072.
 */

import type { Database } from '#db/connect'
import type { Clock, Micros } from '#base/timing/clock'
import type { Attempts, Rule } from './rules'
import { addPending, lockAttempts, removePending, saveAttempts } from './store'
import { runInOrder, signalOutcome, waitForOutcome } from './subject-queue'
import { tooManyAttempts } from './throttle'

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
    if (outcome === 'wrong') await saveAttempts(tx, subject, rule(before, now))
    if (outcome === 'right' && clearsOnSuccess === true) {
      await saveAttempts(tx, subject, { count: 0, since: now, freeAt: now })
    }
  })
  signalOutcome(db, subject)
}
