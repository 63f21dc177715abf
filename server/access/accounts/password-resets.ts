/** Links to set a new password. A link works once, within an hour. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { hashColumn, newSecret } from '#access/secrets'

export const RESET_MINUTES = 60

/** Returns the secret of a new link. Older links of the account remain valid until one of them is used. */
export async function createPasswordReset(sql: Sql | Transaction, accountId: string, now: Micros): Promise<string> {
  const token = newSecret()
  const control = controlQueriesIn(sql)
  const created_at = timestampFromMicros(now)
  const expires_at = timestampFromMicros(now + RESET_MINUTES * 60_000_000)
  await control.deleteFrom('relata.password_resets').where('expires_at', '<=', created_at).execute()
  await control
    .insertInto('relata.password_resets')
    .values({ token_hash: hashColumn(token), account_id: accountId, created_at, expires_at })
    .execute()
  return token
}

/** Returns the account of a valid link, and locks the link until the transaction ends. */
export async function findPasswordReset(
  tx: Transaction,
  token: string,
  now: Micros,
): Promise<{ accountId: string; emailAddress: string } | undefined> {
  return controlQueriesIn(tx)
    .selectFrom('relata.password_resets as r')
    .innerJoin('relata.accounts as a', 'a.id', 'r.account_id')
    .select(['r.account_id as accountId', 'a.email_address as emailAddress'])
    .where('r.token_hash', '=', hashColumn(token))
    .where('r.expires_at', '>', timestampFromMicros(now))
    .forUpdate('r')
    .executeTakeFirst()
}

/** Invalidates all links of an account. */
export async function endPasswordResets(sql: Sql | Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.password_resets').where('account_id', '=', accountId).execute()
}
