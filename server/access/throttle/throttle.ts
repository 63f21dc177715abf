/**
 * How often something may be tried, and what was tried so far: in the database, so that several processes let no more
 * through than one. Guesses, of which only the wrong ones count, are in `guesses.ts`. Spec: auth 6.11; decision 0043.
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { rateLimited } from '../../errors/errors'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../../timing/clock'

export interface Attempts {
  readonly count: number
  /** Since when they are counted, or when the last one was: as the rule needs it. */
  readonly since: Micros
  /** From when on another one is let through. */
  readonly freeAt: Micros
}

/** How attempts stand after one more. */
export type Rule = (before: Attempts | undefined, now: Micros) => Attempts

const SECOND = 1_000_000

/** Long ago: others who ask at the same instant, and wait their turn, come with an earlier one than ours. */
const FREE: Micros = 0

/** So many within a time, and no more until it is over. */
export const fixedWindow =
  (most: number, seconds: number): Rule =>
  (before, now) => {
    const end = before === undefined ? now : before.since + seconds * SECOND
    if (before === undefined || now >= end) return { count: 1, since: now, freeAt: FREE }
    const count = before.count + 1
    return { count, since: before.since, freeAt: count >= most ? end : FREE }
  }

/** Some at once, then a pause that doubles with each. A day without any makes all forgotten. */
export const exponentialBackOff =
  (free: number, longestSeconds: number): Rule =>
  (before, now) => {
    const isForgotten = before === undefined || now - before.since >= 24 * 3600 * SECOND
    const count = isForgotten ? 1 : before.count + 1
    const pause = count < free ? 0 : Math.min(2 ** Math.min(count - free, 30), longestSeconds)
    return { count, since: now, freeAt: pause === 0 ? FREE : now + pause * SECOND }
  }

/** Counts an attempt on, or by, a subject, whatever comes of it. Throws 429 while it is too early for another. */
export async function claimAttempt(db: Database, subject: string, rule: Rule, now: Micros): Promise<void> {
  const freeAt = await db.sql.begin(async (tx) => {
    const { before } = await lockAttempts(tx, subject, now)
    if (before !== undefined && before.freeAt > now) return before.freeAt
    await saveAttempts(tx, subject, rule(before, now))
    return undefined
  })
  if (freeAt !== undefined) throw tooManyAttempts(freeAt)
}

export const tooManyAttempts = (freeAt: Micros) => rateLimited(new Date(Math.ceil(freeAt / 1000)))

/** What was tried on a subject. Nobody else counts on it until the transaction ends. */
export interface LockedAttempts {
  /** Undefined where there were no failures. */
  readonly before: Attempts | undefined
  /** Guesses that are being checked now. */
  readonly pending: number
}

export async function lockAttempts(tx: Transaction, subject: string, now: Micros): Promise<LockedAttempts> {
  const at = timestampFromMicros(now)
  await tx`
    insert into relata.attempts (subject, count, since, free_at) values (${subject}, 0, ${at}, ${at})
    on conflict do nothing`
  const [row] = await tx<[{ count: number; since: string; free_at: string; pending: number }?]>`
    select count, since, free_at, case when pending_until > ${at} then pending else 0 end as pending
    from relata.attempts where subject = ${subject} for update`
  if (row === undefined) return { before: undefined, pending: 0 }
  const { count, since, free_at, pending } = row
  const before = { count, since: microsFromPostgres(since), freeAt: microsFromPostgres(free_at) }
  return { before: count === 0 ? undefined : before, pending }
}

export async function saveAttempts(tx: Transaction, subject: string, attempts: Attempts): Promise<void> {
  const { count, since, freeAt } = attempts
  await tx`
    update relata.attempts set count = ${count}, since = ${timestampFromMicros(since)},
      free_at = ${timestampFromMicros(freeAt)}
    where subject = ${subject}`
}

/** Whatever was tried before is of no interest any more. */
export async function deleteAttempts(sql: Sql | Transaction, subject: string): Promise<void> {
  await sql`delete from relata.attempts where subject = ${subject}`
}

/** What was last tried more than a day ago. */
export async function deleteOldAttempts(sql: Sql | Transaction, now: Micros): Promise<void> {
  await sql`
    delete from relata.attempts
    where greatest(since, free_at, pending_until) < ${timestampFromMicros(now - 24 * 3600 * SECOND)}`
}
