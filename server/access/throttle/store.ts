/** The counts of attempts, one row for each subject, so that all processes enforce one limit together. */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres, timestampFromMicros, type Micros } from '#base/timing/clock'
import { type Attempts, DAY } from './rules'

/** The attempts on a subject, locked until the transaction ends. */
export interface LockedAttempts {
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

export async function saveAttempts(tx: Transaction, subject: string, attempts: Attempts): Promise<void> {
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
