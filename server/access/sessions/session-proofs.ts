/** What an account has proved in its sessions: a second factor, or its password again. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import type { SecondFactor } from './sessions'

/** Records the second factor that the account has just used in this session. */
export async function setSecondFactor(sql: Sql | Transaction, id: string, secondFactor: SecondFactor): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.sessions')
    .set({ second_factor: secondFactor })
    .where('id', '=', id)
    .execute()
}

/** For an account that has no second factor any more: its sessions count as signed in without one. */
export async function clearSecondFactors(sql: Sql | Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.sessions')
    .set({ second_factor: null })
    .where('account_id', '=', accountId)
    .where('second_factor', '<>', 'provider')
    .execute()
}

/** Records that the account has proved itself in this session. */
export async function setProven(sql: Sql | Transaction, id: string, now: Micros): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.sessions')
    .set({ proven_at: timestampFromMicros(now) })
    .where('id', '=', id)
    .execute()
}
