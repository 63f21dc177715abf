/** Links by which a person who forgot their password sets another: good once, for an hour. */

import type { Sql, Transaction } from '../../../db/connect'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { hashSecret, newSecret } from '../secrets'

export const RESET_MINUTES = 60

/** The secret in the link. Older links of the account stay good until one is used. */
export async function createPasswordReset(sql: Sql | Transaction, accountId: string, now: Micros): Promise<string> {
  const token = newSecret()
  await sql`delete from relata.password_resets where expires_at <= ${timestampFromMicros(now)}`
  await sql`
    insert into relata.password_resets (token_hash, account_id, created_at, expires_at)
    values (decode(${hashSecret(token)}, 'hex'), ${accountId}, ${timestampFromMicros(now)},
      ${timestampFromMicros(now + RESET_MINUTES * 60_000_000)})`
  return token
}

/** Whose link it is, while it is good. Nobody else uses it until the transaction ends. */
export async function findPasswordReset(
  tx: Transaction,
  token: string,
  now: Micros,
): Promise<{ accountId: string; emailAddress: string } | undefined> {
  const [row] = await tx<{ account_id: string; email_address: string }[]>`
    select r.account_id, a.email_address
    from relata.password_resets r join relata.accounts a on a.id = r.account_id
    where r.token_hash = decode(${hashSecret(token)}, 'hex') and r.expires_at > ${timestampFromMicros(now)}
    for update of r`
  return row && { accountId: row.account_id, emailAddress: row.email_address }
}

/** None of an account's links is good any more. */
export async function endPasswordResets(sql: Sql | Transaction, accountId: string): Promise<void> {
  await sql`delete from relata.password_resets where account_id = ${accountId}`
}
