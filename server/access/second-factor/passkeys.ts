/** The passkeys of accounts (WebAuthn). */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

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
    .where(equal({ account_id: accountId, id }))
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
    .where(equal({ account_id: accountId, id, counter: String(before) }))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export interface PasskeyOwner {
  readonly accountId: string
  readonly emailAddress: string
  readonly passkey: Passkey
}

/** Returns the passkey with this credential and its account. */
export async function findPasskeyOwner(
  sql: Sql | Transaction,
  credentialId: string,
): Promise<PasskeyOwner | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.passkeys as p')
    .innerJoin('relata.accounts as a', 'a.id', 'p.account_id')
    .selectAll('p')
    .select('a.email_address')
    .where('p.credential_id', '=', credentialId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { account_id: accountId, email_address: emailAddress, ...passkey } = row
  return { accountId, emailAddress, passkey: { ...passkey, counter: Number(passkey.counter) } }
}
