/** Sign-ins whose second step is outstanding. Only the browser has the token; it is valid for ten minutes. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { hashColumn, newSecret } from '#access/secrets'
import type { SignIn } from '#access/sessions/sessions'

const PENDING_MICROS = 600_000_000

interface PendingSignIn {
  readonly accountId: string
  readonly emailAddress: string
  readonly method: SignIn['method']
  /** Where the browser signs out at the provider that began the sign-in. */
  readonly providerSignOutUrl: string | null
}

export async function createPendingSignIn(
  sql: Sql | Transaction,
  { accountId, method, providerSignOutUrl: provider_sign_out_url }: Omit<PendingSignIn, 'emailAddress'>,
  now: Micros,
): Promise<string> {
  const token = newSecret()
  const control = controlQueriesIn(sql)
  await control.deleteFrom('relata.pending_sign_ins').where('expires_at', '<=', timestampFromMicros(now)).execute()
  const expires_at = timestampFromMicros(now + PENDING_MICROS)
  await control
    .insertInto('relata.pending_sign_ins')
    .values({ token_hash: hashColumn(token), account_id: accountId, method, provider_sign_out_url, expires_at })
    .execute()
  return token
}

export const findPendingSignIn = (
  sql: Sql | Transaction,
  token: string,
  now: Micros,
): Promise<PendingSignIn | undefined> =>
  controlQueriesIn(sql)
    .selectFrom('relata.pending_sign_ins as p')
    .innerJoin('relata.accounts as a', 'a.id', 'p.account_id')
    .select(['p.account_id as accountId', 'a.email_address as emailAddress', 'p.method'])
    .select('p.provider_sign_out_url as providerSignOutUrl')
    .where('p.token_hash', '=', hashColumn(token))
    .where('p.expires_at', '>', timestampFromMicros(now))
    .$castTo<PendingSignIn>()
    .executeTakeFirst()

/** Returns false when another request completed the sign-in before. */
export async function deletePendingSignIn(sql: Sql | Transaction, token: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.pending_sign_ins')
    .where('token_hash', '=', hashColumn(token))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** For an account whose password or second factor has changed. */
export async function deletePendingSignIns(sql: Sql | Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.pending_sign_ins').where('account_id', '=', accountId).execute()
}
