/** The passkeys of accounts (WebAuthn), and the challenges that passkeys sign. A challenge works once, within five minutes. */

import type { Sql, Transaction } from '../../../db/connect'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import { newId } from '../../ids'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { newSecret } from '../secrets'

export interface Passkey {
  readonly id: string
  readonly credential_id: string
  readonly public_key: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly last_used_at: string | null
}

export type NewPasskey = Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'name'>

/** An account has at most this number of passkeys. */
export const MAX_PASSKEYS = 20

export async function listPasskeys(sql: Sql | Transaction, accountId: string): Promise<Passkey[]> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.passkeys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, counter: Number(row.counter) }))
}

/** Returns undefined when a passkey with this credential exists. */
export async function insertPasskey(
  sql: Sql | Transaction,
  accountId: string,
  passkey: NewPasskey,
  now: Micros,
): Promise<string | undefined> {
  const { credential_id, counter, name } = passkey
  const row = await controlQueriesIn(sql)
    .insertInto('relata.passkeys')
    .values({
      account_id: accountId,
      id: newId(),
      credential_id,
      public_key: Buffer.from(passkey.public_key),
      counter: String(counter),
      transports: [...passkey.transports],
      name,
      created_at: timestampFromMicros(now),
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Returns the name of the deleted passkey. */
export async function deletePasskey(
  sql: Sql | Transaction,
  accountId: string,
  id: string,
): Promise<string | undefined> {
  const row = await controlQueriesIn(sql)
    .deleteFrom('relata.passkeys')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/** Stores the counter of an authenticator. Returns false when another request stored the same counter before. */
export async function recordPasskeyUse(
  sql: Sql | Transaction,
  accountId: string,
  { id, counter, before }: { readonly id: string; readonly counter: number; readonly before: number },
  now: Micros,
): Promise<boolean> {
  const { numUpdatedRows } = await controlQueriesIn(sql)
    .updateTable('relata.passkeys')
    .set({ counter: String(counter), last_used_at: timestampFromMicros(now) })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('counter', '=', String(before))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

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
