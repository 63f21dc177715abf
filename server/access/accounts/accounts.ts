/** Accounts: a person's address and password, whatever workspaces they are a member of. */

import type { Sql, Transaction } from '../../../db/connect'
import { newId } from '../../ids'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { hashPassword } from './passwords'

export interface NewAccount {
  readonly email_address: string
  readonly password: string
}

/** A database, or a transaction on it. */
export interface Accounts {
  readonly sql: Sql | Transaction
}

/** Addresses are kept in lower case, so that one person is one account however it was typed. */
export async function createAccount({ sql }: Accounts, account: NewAccount, now: Micros): Promise<{ id: string }> {
  const id = newId()
  const hash = await hashPassword(account.password)
  await sql`
    insert into relata.accounts (id, email_address, password_hash, created_at)
    values (${id}, ${account.email_address.toLowerCase()}, ${hash}, ${timestampFromMicros(now)})`
  return { id }
}

/** The account with this address and password; undefined for any other pair, after the same time. */
export async function authenticateAccount(
  { sql }: Accounts,
  emailAddress: string,
  password: string,
): Promise<{ id: string } | undefined> {
  const [[account], otherHash] = await Promise.all([
    sql<[{ id: string; password_hash: string }?]>`
      select id, password_hash from relata.accounts where email_address = ${emailAddress.toLowerCase()}`,
    dummyHash(),
  ])
  const isRight = await Bun.password.verify(password, account?.password_hash ?? otherHash)
  return account !== undefined && isRight ? { id: account.id } : undefined
}

/** Whose address this is. */
export async function findAccountByEmail({ sql }: Accounts, emailAddress: string): Promise<string | undefined> {
  const [account] = await sql<{ id: string }[]>`
    select id from relata.accounts where email_address = ${emailAddress.toLowerCase()}`
  return account?.id
}

export async function setPassword({ sql }: Accounts, accountId: string, password: string): Promise<void> {
  await sql`update relata.accounts set password_hash = ${await hashPassword(password)} where id = ${accountId}`
}

/** Whether anybody can sign in at all. */
export async function hasAccounts({ sql }: Accounts): Promise<boolean> {
  const [row] = await sql<[{ exists: boolean }]>`select exists (select from relata.accounts)`
  return row.exists
}

let cachedDummyHash: Promise<string> | undefined

/** Compared with when there is no such account, so that timing does not tell which addresses exist. */
const dummyHash = () => (cachedDummyHash ??= hashPassword(crypto.randomUUID()))
