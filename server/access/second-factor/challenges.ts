/** The challenges that passkeys sign. A challenge works once, within five minutes. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { newSecret } from '#access/secrets'

export type ChallengePurpose = 'enrolment' | 'proof'

const CHALLENGE_MICROS = 300_000_000

/** Creates a challenge, and deletes the expired ones of the account. */
export async function createChallenge(
  sql: Sql | Transaction,
  accountId: string,
  purpose: ChallengePurpose,
  now: Micros,
): Promise<string> {
  const challenge = newSecret()
  const control = controlQueriesIn(sql)
  await control
    .deleteFrom('relata.passkey_challenges')
    .where('account_id', '=', accountId)
    .where('expires_at', '<=', timestampFromMicros(now))
    .execute()
  const expires_at = timestampFromMicros(now + CHALLENGE_MICROS)
  await control
    .insertInto('relata.passkey_challenges')
    .values({ account_id: accountId, challenge, purpose, expires_at })
    .execute()
  return challenge
}

/** Deletes the challenge. Returns false for one that was used, has expired, or had another purpose. */
export async function useChallenge(
  sql: Sql | Transaction,
  accountId: string,
  { challenge, purpose }: { readonly challenge: string; readonly purpose: ChallengePurpose },
  now: Micros,
): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.passkey_challenges')
    .where('account_id', '=', accountId)
    .where('challenge', '=', challenge)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', timestampFromMicros(now))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Creates a challenge for a sign-in, whose account is not known yet, and deletes the expired ones. */
export async function createSignInChallenge(sql: Sql | Transaction, now: Micros): Promise<string> {
  const challenge = newSecret()
  const control = controlQueriesIn(sql)
  await control.deleteFrom('relata.sign_in_challenges').where('expires_at', '<=', timestampFromMicros(now)).execute()
  const expires_at = timestampFromMicros(now + CHALLENGE_MICROS)
  await control.insertInto('relata.sign_in_challenges').values({ challenge, expires_at }).execute()
  return challenge
}

/** Deletes the challenge of a sign-in. Returns false for one that was used or has expired. */
export async function useSignInChallenge(sql: Sql | Transaction, challenge: string, now: Micros): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.sign_in_challenges')
    .where('challenge', '=', challenge)
    .where('expires_at', '>', timestampFromMicros(now))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
