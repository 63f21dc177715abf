import { afterAll, beforeAll, expect, test } from 'bun:test'
import { useCheapPasswords } from '#testing/cheap-passwords'
import { testDatabase, type TestDatabase } from '#testing/database'
import { createAccount, authenticateAccount } from './accounts'

let database: TestDatabase
beforeAll(async () => {
  useCheapPasswords()
  database = await testDatabase()
})
afterAll(() => database.drop())

test('an account is found by its email address in any case, and only with its password', async () => {
  const { id } = await createAccount(database.db, { email_address: 'Ada@Example.com', password: 'correct horse' }, 0)
  expect(await authenticateAccount(database.db, 'ada@example.COM', 'correct horse')).toEqual({ id })
  expect(await authenticateAccount(database.db, 'ada@example.com', 'wrong horse')).toBeUndefined()
  expect(await authenticateAccount(database.db, 'nobody@example.com', 'correct horse')).toBeUndefined()
  const [row] = await database.db.sql`select password_hash from relata.accounts`
  expect(row?.password_hash).toStartWith('$argon2id$')
})
