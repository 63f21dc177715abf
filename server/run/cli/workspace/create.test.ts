import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SECRET_KEY_SETTING, testDatabase, type TestDatabase } from '#testing/database'
import { runRelata } from '#testing/command-line'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

async function relata(...words: string[]): Promise<[number, string]> {
  const { exitCode, text } = await runRelata(words, { DATABASE_URL: database.url, ...SECRET_KEY_SETTING })
  return [exitCode, text]
}
const create = (slug: string, name = 'Acme', admin = 'Ada@Acme.example') =>
  relata('workspace', 'create', slug, '--name', name, '--admin', admin)

test('creates the workspace, its administrator and an account; a second one has the same account', async () => {
  const [code, text] = await create('acme')
  expect([code, text]).toEqual([0, expect.stringContaining('account reset-password ada@acme.example')])
  expect(await create('other', 'Other')).toEqual([
    0,
    'Created the workspace other; its administrator is ada@acme.example.',
  ])
  const members = await database.db.sql`
    select w.slug, w.name, m.access_level, a.email_address from relata.workspaces w
    join relata.workspace_members m on m.workspace_id = w.id join relata.accounts a on a.id = m.account_id order by w.number`
  expect(members.map((row) => Object.values(row))).toEqual([
    ['acme', 'Acme', 'admin', 'ada@acme.example'],
    ['other', 'Other', 'admin', 'ada@acme.example'],
  ])
  const log = await database.db.sql`select action, actor_id from relata.audit_log order by created_at`
  expect(log.map((row) => Object.values(row))).toEqual([
    ['workspace.created', 'command-line'],
    ['workspace.created', 'command-line'],
  ])
  expect((await relata('key', 'create', '--name', 'x', '--scopes', 'all', '--workspace', 'acme'))[0]).toBe(0)
})

test.each([
  ['acme', 'Acme', 'ada@acme.example', 1, 'There is a workspace "acme" already.'],
  ['A b', 'Acme', 'ada@acme.example', 2, 'A slug has lower-case letters'],
  ['x'.repeat(61), 'Acme', 'ada@acme.example', 2, 'A slug has'],
  ['new', ' ', 'ada@acme.example', 2, '--name has 1 to 255 characters'],
  ['new', 'New', 'nobody', 2, '--admin is an email address'],
])('refuses %p, %p, %p and writes nothing', async (slug, name, admin, code, message) => {
  const count = () =>
    database.db.sql`select (select count(*) from relata.workspaces), (select count(*) from relata.accounts)`
  const before = await count()
  expect(await create(slug, name, admin)).toEqual([code, expect.stringContaining(message)])
  expect(await count()).toEqual(before)
})
