/** Accounts: a person's address and password, whatever workspaces they are a member of. */

import type { Database } from '../../db/connect'
import { timestampFromMicros, type Micros } from '../time'

export interface NewAccount {
  readonly email_address: string
  readonly password: string
}

/** Addresses are kept in lower case, so that one person is one account however it was typed. */
export async function createAccount(db: Database, account: NewAccount, now: Micros): Promise<{ id: string }> {
  const id = Bun.randomUUIDv7()
  const hash = await Bun.password.hash(account.password, { algorithm: 'argon2id' })
  await db.sql`
    insert into relata.accounts (id, email_address, password_hash, created_at)
    values (${id}, ${account.email_address.toLowerCase()}, ${hash}, ${timestampFromMicros(now)})`
  return { id }
}

/** The account with this address and password; undefined for any other pair, after the same time. */
export async function findAccount(
  db: Database,
  emailAddress: string,
  password: string,
): Promise<{ id: string } | undefined> {
  const [account] = await db.sql<[{ id: string; password_hash: string }?]>`
    select id, password_hash from relata.accounts where email_address = ${emailAddress.toLowerCase()}`
  const isRight = await Bun.password.verify(password, account?.password_hash ?? (await noOnesHash()))
  return account !== undefined && isRight ? { id: account.id } : undefined
}

let hashOfNoOne: Promise<string> | undefined

/** Compared with when there is no such account, so that timing does not tell which addresses exist. */
const noOnesHash = () => (hashOfNoOne ??= Bun.password.hash(crypto.randomUUID(), { algorithm: 'argon2id' }))
