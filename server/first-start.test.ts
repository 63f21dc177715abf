import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { findAccount } from './access/accounts'
import { findToken, hashToken } from './access/tokens'
import { firstStart } from './first-start'
import { ALL_SCOPES } from './scopes'
import { testDatabase, type TestDatabase } from './testing/database'
import { systemClock } from './time'

const config = { workspaceName: 'Ärger & Söhne', adminEmail: 'Ada@example.com', adminPassword: undefined }
const now = systemClock()
let database: TestDatabase

beforeEach(async () => {
  database = await testDatabase()
})
afterEach(() => database.drop())

const start = (changes: Partial<Parameters<typeof firstStart>[1]> = {}) =>
  firstStart(database.db, { ...config, ...changes }, now)

describe('firstStart', () => {
  test('makes a workspace, its administrator and a key for everything', async () => {
    const credentials = await start()
    expect(credentials?.email_address).toBe('Ada@example.com')
    expect(await findAccount(database.db, 'ada@example.com', credentials?.password ?? '')).toBeDefined()
    const token = await findToken(database.db, hashToken(credentials?.key ?? ''))
    expect([...(token?.scopes ?? [])]).toEqual([...ALL_SCOPES])
    const [workspace] = await database.db.sql`select name, slug, id from relata.workspaces`
    expect(workspace).toMatchObject({ name: 'Ärger & Söhne', slug: 'rger-s-hne', id: token?.workspaceId })
    const [member] = await database.db.sql`select access_level, email_address from relata.workspace_members`
    expect(member).toMatchObject({ access_level: 'admin', email_address: 'Ada@example.com' })
  })

  test('is done once, by one of several processes that start together', async () => {
    const results = await Promise.all([start(), start(), start()])
    expect(results.filter((credentials) => credentials !== undefined)).toHaveLength(1)
    expect(await start()).toBeUndefined()
    const [count] = await database.db.sql`select count(*)::int as n from relata.workspaces`
    expect(count?.n).toBe(1)
  })

  test('takes the password it was given', async () => {
    const credentials = await start({ adminPassword: 'correct horse' })
    expect(credentials?.password).toBe('correct horse')
  })

  test('is begun again where it was interrupted, with a password that is shown', async () => {
    await start({ adminPassword: 'never shown' })
    await database.db.sql`delete from relata.tokens`
    const credentials = await start()
    expect(await findAccount(database.db, config.adminEmail, credentials?.password ?? '')).toBeDefined()
    const [count] = await database.db.sql`
      select (select count(*)::int from relata.workspaces) as workspaces, (select count(*)::int from relata.accounts) as accounts,
        (select count(*)::int from relata.workspace_members) as members`
    expect(count).toMatchObject({ workspaces: 1, accounts: 1, members: 1 })
  })
})
