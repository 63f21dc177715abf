import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encryptPlainSecrets } from '#db/encrypted-columns'
import { migrate } from '#db/migrate'
import { emptyTestDatabase, TEST_SECRET_KEYS, testDatabase, type TestDatabase } from '#testing/database'
import { installFakeCitus, type FakeCitus } from '#testing/fake-citus'
import { systemClock } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { runCommandLine } from '#run/cli/run'

const makeWorkspace = ({ db }: TestDatabase, slug: string) =>
  createWorkspace(db, { name: slug, slug, now: systemClock()() })

const FUNCTIONS = [
  'joined_text',
  'search_words',
  'search_handles',
  'search_digits',
  'search_pairs',
  'search_entries',
  'search_bounded',
  'text_hashes',
  'write_conflict',
].map((name) => `function relata.${name}`)

describe('with Citus', () => {
  let database: TestDatabase
  let citus: FakeCitus
  beforeAll(async () => {
    database = await emptyTestDatabase()
    citus = await installFakeCitus(database.db.sql)
    await migrate(database.db)
    await encryptPlainSecrets(database.db, TEST_SECRET_KEYS)
  })
  afterAll(() => database.drop())

  const move = async (...words: string[]) => {
    const lines: string[] = []
    const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
    const exitCode = await runCommandLine(['workspace', 'move', ...words], { DATABASE_URL: database.url }, context)
    return { exitCode, lines }
  }

  test('a migration distributes the functions of workspace tables once, and no schema', async () => {
    expect((await citus.calls()).toSorted()).toEqual(FUNCTIONS.toSorted())
    await migrate(database.db)
    expect(await citus.calls()).toHaveLength(FUNCTIONS.length)
  })

  test('the schema of a new workspace is distributed', async () => {
    await makeWorkspace(database, 'acme')
    expect((await citus.calls()).at(-1)).toBe('schema w_1')
  })

  test.each([
    ['worker-2:5432', 'move w_1 to worker-2 port 5432'],
    ['10.0.0.7:6432', 'move w_1 to 10.0.0.7 port 6432'],
    ['[fd00::7]:5432', 'move w_1 to fd00::7 port 5432'],
  ])('moves a workspace to %s', async (node, call) => {
    const lines = [`The tables of acme are on ${node}.`]
    expect(await move('acme', '--node', node)).toEqual({ exitCode: 0, lines })
    expect((await citus.calls()).at(-1)).toBe(call)
  })

  test('repeats the message of Citus', async () => {
    const lines = ['Citus did not move the workspace: node unknown:5432 is not active']
    expect(await move('acme', '--node', 'unknown:5432')).toEqual({ exitCode: 1, lines })
  })

  test.each([
    'worker-2',
    'worker-2:',
    ':5432',
    'worker-2:0',
    'worker-2:65536',
    'a b:1',
    'fd00::7:5432',
    'x'.repeat(999),
  ])('refuses the node %j', async (node) => {
    const { exitCode, lines } = await move('acme', '--node', node)
    expect([exitCode, lines[0]]).toEqual([2, expect.stringContaining('--node is a host and a port')])
  })

  test('refuses an unknown workspace', async () => {
    const lines = ['There is no workspace "other"; there are: acme.']
    expect(await move('other', '--node', 'worker-2:5432')).toEqual({ exitCode: 1, lines })
  })
})

test('without Citus, the command fails', async () => {
  const database = await testDatabase()
  await makeWorkspace(database, 'acme')
  const printed: string[] = []
  const context = { print: (line: string) => printed.push(line), printError: (line: string) => printed.push(line) }
  const words = ['workspace', 'move', 'acme', '--node', 'worker-2:5432']
  expect(await runCommandLine(words, { DATABASE_URL: database.url }, context)).toBe(1)
  expect(printed).toEqual(['The database lacks the extension citus 12.1 or newer.'])
  await database.drop()
})
