/** Limits attempts of which every one counts. `guesses.ts` limits guesses, of which only the wrong ones count. */

import type { Database, Sql, Transaction } from '#db/connect'
import { rateLimited } from '#base/errors/http'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { sql } from 'kysely'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'

/** Counts an attempt on, or by, a subject. Throws 429 before the time at which the rule allows another one. */
export async function claimAttempt(db: Database, subject: string, rule: Rule, now: Micros): Promise<void> {
  const freeAt = await db.sql.begin(async (tx) => {
    const { before } = await lockAttempts(tx, subject, now)
    if (before !== undefined && before.freeAt > now) return before.freeAt
    await saveGuesses(tx, subject, rule(before, now))
    return undefined
  })
  if (freeAt !== undefined) throw tooManyAttempts(freeAt)
}

export const tooManyAttempts = (freeAt: Micros) => rateLimited(new Date(Math.ceil(freeAt / 1000)))

/** How many attempts a limit allows. See docs/decisions/sign-in.md. */
export interface Attempts {
  readonly count: number
  /** The start of the window for `fixedWindow`, the time of the last attempt for `exponentialBackOff`. */
  readonly since: Micros
  /** The time of the next attempt that is allowed. */
  readonly freeAt: Micros
}

/** Returns the attempts after one more. */
export type Rule = (before: Attempts | undefined, now: Micros) => Attempts

const SECOND = 1_000_000
const DAY = 24 * 3600 * SECOND

/** A time before every request. `now` would be too late for a concurrent request that read the clock earlier. */
const FREE: Micros = 0

/** Allows `max` attempts in a window of some seconds, which starts with the first attempt. */
export const fixedWindow =
  (max: number, seconds: number): Rule =>
  (before, now) => {
    const end = before === undefined ? now : before.since + seconds * SECOND
    if (before === undefined || now >= end) return { count: 1, since: now, freeAt: FREE }
    const count = before.count + 1
    return { count, since: before.since, freeAt: count >= max ? end : FREE }
  }

/**
 * Allows some attempts without a pause, then requires a pause that doubles with each attempt. After a day without an
 * attempt, the count starts again.
 */
export const exponentialBackOff =
  (withoutPause: number, longestSeconds: number): Rule =>
  (before, now) => {
    const isFirst = before === undefined || now - before.since >= DAY
    const count = isFirst ? 1 : before.count + 1
    const pause = count < withoutPause ? 0 : Math.min(2 ** Math.min(count - withoutPause, 30), longestSeconds)
    return { count, since: now, freeAt: pause === 0 ? FREE : now + pause * SECOND }
  }

/** The network by which requests are counted: an IPv4 address, or the /64 of an IPv6 address, which one customer has. */

/** Returns the address itself, or the first half of an IPv6 address. */
export function networkOf(address: string): string {
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (ipv4 !== undefined) return ipv4
  if (!address.includes(':')) return address
  const [start = '', end] = address.toLowerCase().split('::')
  const groups = start.split(':').filter(Boolean)
  const last = end?.split(':').filter(Boolean) ?? []
  const missing = end === undefined ? 0 : 8 - groups.length - last.length
  const all = [...groups, ...Array.from({ length: Math.max(missing, 0) }, () => '0'), ...last]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

// The counts of attempts, one row for each subject, so that all processes enforce one limit together.

/** The attempts on a subject, locked until the transaction ends. */
interface LockedAttempts {
  /** Undefined when no attempt is counted. */
  readonly before: Attempts | undefined
  /** The number of guesses that are being checked. */
  readonly pending: number
}

export async function lockAttempts(tx: Transaction, subject: string, now: Micros): Promise<LockedAttempts> {
  const control = controlQueriesIn(tx)
  const at = timestampFromMicros(now)
  await control
    .insertInto('relata.attempts')
    .values({ subject, count: 0, since: at, free_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await control
    .selectFrom('relata.attempts')
    .select(['count', 'since', 'free_at'])
    .select(sql<number>`case when pending_until > ${at} then pending else 0 end`.as('pending'))
    .where('subject', '=', subject)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return { before: undefined, pending: 0 }
  const { count, since, free_at, pending } = row
  const before = { count, since: microsFromPostgres(since), freeAt: microsFromPostgres(free_at) }
  return { before: count === 0 ? undefined : before, pending }
}

export async function saveGuesses(tx: Transaction, subject: string, attempts: Attempts): Promise<void> {
  const { count, since, freeAt } = attempts
  await controlQueriesIn(tx)
    .updateTable('relata.attempts')
    .set({ count, since: timestampFromMicros(since), free_at: timestampFromMicros(freeAt) })
    .where('subject', '=', subject)
    .execute()
}

/** Stores one more pending guess than `pending`. Pending guesses expire at `until`. */
export async function addPending(tx: Transaction, subject: string, pending: number, until: Micros): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.attempts')
    .set({ pending: pending + 1, pending_until: timestampFromMicros(until) })
    .where('subject', '=', subject)
    .execute()
}

export async function removePending(tx: Transaction, subject: string): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.attempts')
    .set({ pending: sql`greatest(pending - 1, 0)` })
    .where('subject', '=', subject)
    .execute()
}

export async function deleteAttempts(connection: Sql | Transaction, subject: string): Promise<void> {
  await controlQueriesIn(connection).deleteFrom('relata.attempts').where('subject', '=', subject).execute()
}

/** Deletes the counts of subjects whose last attempt was more than a day ago. */
export async function deleteOldAttempts(connection: Sql | Transaction, now: Micros): Promise<void> {
  await controlQueriesIn(connection)
    .deleteFrom('relata.attempts')
    .where(sql<string>`greatest(since, free_at, pending_until)`, '<', timestampFromMicros(now - DAY))
    .execute()
}
