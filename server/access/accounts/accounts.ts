/** Accounts: the email address and the password of a person, independent of workspaces. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, hasRow } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { isLanguage, type Language } from '#vocabulary/languages'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { hashPassword } from './passwords'

export interface NewAccount {
  readonly email_address: string
  readonly password: string
}

/** A database, or a transaction on it. */
export interface Connection {
  readonly sql: Sql | Transaction
}

export const createAccount = async (
  connection: Connection,
  { email_address, password }: NewAccount,
  now: Micros,
): Promise<{ id: string }> => insertAccount(connection, email_address, await hashPassword(password), now)

/** Creates an account whose owner sets the password with a link from an email. No password is accepted before. */
export const createAccountWithoutPassword = async (
  connection: Connection,
  emailAddress: string,
  now: Micros,
): Promise<{ id: string }> => insertAccount(connection, emailAddress, await dummyHash(), now)

/** Stores the address in lower case, so that no two accounts differ only in upper and lower case. */
async function insertAccount(
  { sql }: Connection,
  emailAddress: string,
  password_hash: string,
  now: Micros,
): Promise<{ id: string }> {
  const id = newId()
  const email_address = emailAddress.toLowerCase()
  await controlQueriesIn(sql)
    .insertInto('relata.accounts')
    .values({ id, email_address, password_hash, created_at: timestampFromMicros(now) })
    .execute()
  return { id }
}

/** Returns the account with this address and password, and undefined for every other pair, after the same time. */
export async function authenticateAccount(
  { sql }: Connection,
  emailAddress: string,
  password: string,
): Promise<{ id: string } | undefined> {
  const [account, otherHash] = await Promise.all([
    controlQueriesIn(sql)
      .selectFrom('relata.accounts')
      .select(['id', 'password_hash'])
      .where('email_address', '=', emailAddress.toLowerCase())
      .executeTakeFirst(),
    dummyHash(),
  ])
  const isRight = await Bun.password.verify(password, account?.password_hash ?? otherHash)
  return account !== undefined && isRight ? { id: account.id } : undefined
}

/** Returns the id of the account with this address. */
export async function findAccountByEmail({ sql }: Connection, emailAddress: string): Promise<string | undefined> {
  const account = await controlQueriesIn(sql)
    .selectFrom('relata.accounts')
    .select('id')
    .where('email_address', '=', emailAddress.toLowerCase())
    .executeTakeFirst()
  return account?.id
}

export async function findEmailOfAccount({ sql }: Connection, accountId: string): Promise<string | undefined> {
  const account = await controlQueriesIn(sql)
    .selectFrom('relata.accounts')
    .select('email_address')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return account?.email_address
}

/** The language of an account. Undefined for an account that has none, and for no account. */
export async function findLanguage({ sql }: Connection, accountId: string): Promise<Language | undefined> {
  const account = await controlQueriesIn(sql)
    .selectFrom('relata.accounts')
    .select('language')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return isLanguage(account?.language) ? account.language : undefined
}

/** The language for an email: the one of the first of the addresses whose account has one. English when none has. */
export async function languageOfEmail({ sql }: Connection, ...addresses: readonly string[]): Promise<Language> {
  const lowered = addresses.map((address) => address.toLowerCase())
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.accounts')
    .select(['email_address', 'language'])
    .where('email_address', 'in', lowered)
    .execute()
  const languages = lowered.map((address) => rows.find(({ email_address }) => email_address === address)?.language)
  return languages.find(isLanguage) ?? 'en'
}

export async function setLanguage({ sql }: Connection, accountId: string, language: Language): Promise<void> {
  await controlQueriesIn(sql).updateTable('relata.accounts').set({ language }).where('id', '=', accountId).execute()
}

/** Sets the language of an account that has none. */
export async function setFirstLanguage({ sql }: Connection, accountId: string, language: Language): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.accounts')
    .set({ language })
    .where('id', '=', accountId)
    .where('language', 'is', null)
    .execute()
}

export async function setPassword({ sql }: Connection, accountId: string, password: string): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.accounts')
    .set({ password_hash: await hashPassword(password) })
    .where('id', '=', accountId)
    .execute()
}

export function hasAccounts({ sql }: Connection): Promise<boolean> {
  return hasRow(controlQueriesIn(sql).selectFrom('relata.accounts').select('id').limit(1))
}

let cachedDummyHash: Promise<string> | undefined

/** The hash to compare with when no account has the address, so that the time of a refusal does not show which addresses exist. */
const dummyHash = () => (cachedDummyHash ??= hashPassword(crypto.randomUUID()))
