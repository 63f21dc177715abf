/**
 * Checking what may be a guess. Only wrong ones count; while one is checked it is pending and counts as if it were wrong,
 * so that many at once get no further than one after the other would. Whoever is in the way of pending ones alone waits
 * for them instead of being refused. Decisions 0043 and 0072.
 */

import type { Database } from '../../../db/connect'
import { type Clock, type Micros, timestampFromMicros } from '../../timing/clock'
import { type Attempts, lockAttempts, type Rule, saveAttempts, tooManyAttempts } from './throttle'
import { runInOrder, signalOutcome, waitForOutcome } from './subject-queue'

export interface Limit {
  readonly subject: string
  readonly rule: Rule
  /** Whether a right guess makes the wrong ones before it of no interest. */
  readonly clearsOnSuccess?: boolean
}

/** Longer than a check takes, with all who wait before it. */
const MAX_WAIT_MS = 10_000
const PENDING_MICROS = 60_000_000
const SOON_MICROS = 1_000_000

/** What `check` answers, which is asked only while no limit is reached. Throws 429. */
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

/** Those on one subject take turns, so that who came first goes first. */
function reserve(db: Database, limit: Limit, now: Clock): Promise<void> {
  const latest = performance.now() + MAX_WAIT_MS
  return runInOrder(db, limit.subject, async () => {
    for (;;) {
      const place = await reserveAttempt(db, limit, now())
      if (place === 'taken') return
      if (place !== 'busy') throw tooManyAttempts(place.freeAt)
      if (performance.now() > latest) throw tooManyAttempts(now() + SOON_MICROS)
      await waitForOutcome(db, limit.subject)
    }
  })
}

function reserveAttempt(db: Database, { subject, rule }: Limit, now: Micros): Promise<'taken' | 'busy' | Attempts> {
  return db.sql.begin(async (tx) => {
    const { before, pending } = await lockAttempts(tx, subject, now)
    if (before !== undefined && before.freeAt > now) return before
    // As if all that are pending were wrong.
    let after = before
    for (let count = 0; count < pending; count++) after = rule(after, now)
    if (after !== undefined && after.freeAt > now) return 'busy' as const
    await tx`
      update relata.attempts
      set pending = ${pending} + 1, pending_until = ${timestampFromMicros(now + PENDING_MICROS)}
      where subject = ${subject}`
    return 'taken' as const
  }) as Promise<'taken' | 'busy' | Attempts> // the driver widens what it gives
}

/** What could not be checked was neither right nor wrong. */
async function recordOutcome(
  db: Database,
  { subject, rule, clearsOnSuccess }: Limit,
  now: Micros,
  outcome: Outcome,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const { before } = await lockAttempts(tx, subject, now)
    await tx`update relata.attempts set pending = greatest(pending - 1, 0) where subject = ${subject}`
    if (outcome === 'wrong') await saveAttempts(tx, subject, rule(before, now))
    if (outcome === 'right' && clearsOnSuccess === true) {
      await saveAttempts(tx, subject, { count: 0, since: now, freeAt: now })
    }
  })
  signalOutcome(db, subject)
}
