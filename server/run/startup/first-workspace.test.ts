import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createAccount, authenticateAccount } from '#access/accounts/accounts'
import { hashSecret } from '#access/secrets'
import { findToken } from '#access/tokens/tokens'
import { createFirstWorkspace } from './service'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { useCheapPasswords } from '#testing/cheap-passwords'
import { testDatabase, type TestDatabase } from '#testing/database'
import { systemClock } from '#base/timing/clock'

const config = {
  firstStart: 'print' as const,
  workspaceName: 'Ärger & Söhne',
  adminEmail: 'Ada@example.com',
  adminPassword: undefined,
}
const now = systemClock()
let database: TestDatabase

beforeEach(async () => {
  useCheapPasswords()
  database = await testDatabase()
})
afterEach(() => database.drop())

const start = (changes: Partial<Parameters<typeof createFirstWorkspace>[1]> = {}) =>
  createFirstWorkspace(database.db, { ...config, ...changes }, now)

describe('createFirstWorkspace', () => {
  test('makes a workspace, its admin and an API key with all scopes', async () => {
    const credentials = await start()
    expect(credentials?.email_address).toBe('Ada@example.com')
    expect(await authenticateAccount(database.db, 'ada@example.com', credentials?.password ?? '')).toBeDefined()
    const token = await findToken(database.db, hashSecret(credentials?.key ?? ''))
    expect([...(token?.scopes ?? [])]).toEqual([...READ_WRITE_SCOPES])
    const [workspace] = await database.db.sql`select name, slug, id from relata.workspaces`
    expect(workspace).toMatchObject({ name: 'Ärger & Söhne', slug: 'arger-sohne', id: token?.workspaceId })
    const [member] = await database.db.sql`select access_level, email_address from relata.workspace_members`
    expect(member).toMatchObject({ access_level: 'admin', email_address: 'Ada@example.com' })
  })

  test('makes one workspace when several processes start together', async () => {
    const results = await Promise.all([start(), start(), start()])
    expect(results.filter((credentials) => credentials !== undefined)).toHaveLength(1)
    expect(await start()).toBeUndefined()
    const [count] = await database.db.sql`select count(*)::int as n from relata.workspaces`
    expect(count?.n).toBe(1)
  })

  test('uses the password of the settings', async () => {
    const credentials = await start({ adminPassword: 'correct horse' })
    expect(credentials?.password).toBe('correct horse')
  })

  test('makes nothing when the browser is to create the workspace, nor after that', async () => {
    expect(await start({ firstStart: 'browser' })).toBeUndefined()
    await createAccount(database.db, { email_address: 'grace@example.com', password: 'correct horse battery' }, now())
    expect(await start()).toBeUndefined()
    expect(await database.db.sql`select id from relata.workspaces`).toHaveLength(0)
  })

  test('leaves nothing behind when it fails, and the next start makes everything', async () => {
    await database.db.sql`alter table relata.tokens rename to no_tokens`
    await expect(start()).rejects.toThrow('relata.tokens')
    await database.db.sql`alter table relata.no_tokens rename to tokens`
    const left = await database.db.sql`select 1 from relata.workspaces union all select 1 from relata.accounts`
    expect(left).toHaveLength(0)
    expect(await start()).toBeDefined()
  })
})
