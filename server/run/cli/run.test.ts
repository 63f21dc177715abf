import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { hashSecret } from '#access/secrets'
import { findToken } from '#access/tokens/tokens'
import { createTrigger } from '#testing/create-trigger'
import { systemClock } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { version } from '../../../package.json'
import { COMMANDS } from './commands'
import { runRelata, useFirstWorkspace } from '#testing/command-line'

const ROOT = join(import.meta.dir, '../../..')

const database = useFirstWorkspace()

const relata = (...words: string[]) => runRelata(words, { DATABASE_URL: database.url })

test('--version prints the version', async () => {
  const { exitCode, output } = await relata('--version')
  expect([exitCode, output]).toEqual([0, version])
})

test('a command ends with a sentence when the database cannot be used', async () => {
  await createTrigger(database.db, {
    name: 'full_disk',
    when: 'before insert on relata.tokens',
    body: "raise 'no room' using errcode = 'disk_full';",
  })
  const { exitCode, problem } = await relata('key', 'create', '--name', 'x', '--scopes', 'note:read')
  await database.db.sql.unsafe('drop function full_disk cascade')
  expect([exitCode, problem]).toEqual([1, 'The database cannot be used now: no room (53100).'])
})

describe('relata', () => {
  test.each([[[]], [['--help']], [['key', '--help']]])('%j names every command', async (words) => {
    const { exitCode, output } = await relata(...words)
    expect(exitCode).toBe(0)
    const width = Math.max(...COMMANDS.map(({ name }) => name.length))
    for (const { name, summary } of COMMANDS) expect(output).toContain(`${name.padEnd(width)}  ${summary}`)
  })

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    '%s --help explains its options',
    async (name, command) => {
      const { exitCode, output } = await relata(...name.split(' '), '--help')
      expect(exitCode).toBe(0)
      expect(output).toStartWith(`Usage: bun relata ${name}`)
      for (const [option, { description }] of Object.entries(command.options)) {
        expect(output).toContain(`--${option}`)
        expect(output).toContain(description)
      }
    },
  )

  test.each([
    [['nonsense'], 'There is no command "nonsense". See bun relata --help.'],
    [['key'], 'There is no command "key". See bun relata --help.'],
    [['key', 'list', '--all'], 'There is no option --all. See bun relata key list --help.'],
    [['key', 'list', '-x'], 'There is no option -x. See bun relata key list --help.'],
    [['key', 'create', '--name', 'x'], '--scopes is missing. See bun relata key create --help.'],
    [['key', 'create', '--name', '--scopes', 'all'], '--name needs a value. See bun relata key create --help.'],
    [['key', 'revoke'], '<id> is missing. See bun relata key revoke --help.'],
    [['key', 'revoke', 'a', 'b'], 'The argument "b" is not expected. See bun relata key revoke --help.'],
    [['check', '--repair=yes'], '--repair takes no value. See bun relata check --help.'],
    [['workspace', 'set'], 'Give --shows-updated-at or --creates-contacts. See bun relata workspace set --help.'],
    [
      ['workspace', 'set', '--shows-updated-at', 'yes'],
      '--shows-updated-at is on or off, not "yes". See bun relata workspace set --help.',
    ],
  ])('%j is refused', async (words, problem) => {
    expect(await relata(...words)).toMatchObject({ exitCode: 2, output: '', problem })
  })

  test('an unknown scope is refused, with the list of scopes', async () => {
    const { exitCode, problem } = await relata('key', 'create', '--name', 'x', '--scopes', 'record:read')
    expect(exitCode).toBe(2)
    expect(problem).toStartWith('"record:read" is not a scope; there are all, user_management:read[-write], ')
  })
})

describe('relata key', () => {
  test('create prints a valid key alone on the last line; list prints its details; revoke revokes it', async () => {
    const scopes = 'record_permission:read,object_configuration:read'
    const created = await relata('key', 'create', '--name', 'Reporting', '--scopes', scopes)
    const key = created.output.split('\n').at(-1) ?? ''
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    const token = await findToken(database.db, hashSecret(key))
    expect([...(token?.scopes ?? [])].join()).toEqual(scopes)

    const list = await relata('key', 'list')
    expect(list.output).toMatch(
      new RegExp(`${token?.id}  Reporting  …${key.slice(-4)} .* never  .*valid  .*${scopes}$`, 'm'),
    )

    expect((await relata('key', 'revoke', token?.id ?? '')).exitCode).toBe(0)
    expect(await findToken(database.db, hashSecret(key))).toBeUndefined()
    expect((await relata('key', 'list')).output).toMatch(/Reporting .* revoked /)
  })

  test('create --json prints one line with id and key', async () => {
    const { exitCode, output } = await relata('key', 'create', '--scopes', 'all', '--json')
    const { id, key } = JSON.parse(output)
    expect([exitCode, Object.keys(JSON.parse(output))]).toEqual([0, ['id', 'key']])
    expect((await findToken(database.db, hashSecret(key)))?.id).toBe(id)
  })

  test.each(['nonsense', '01a1fb7a-62c6-71ca-9c81-42d3a5c9cb03'])('revoke %s reports an unknown key', async (id) => {
    const { exitCode, problem } = await relata('key', 'revoke', id)
    expect(exitCode).toBe(1)
    expect(problem).toBe(`The workspace first has no valid key with the id "${id}".`)
  })
})

test('bun relata does not print its arguments, which may be secrets', async () => {
  const words = [process.execPath, 'run', 'relata', 'types', '--key', 'never-printed', '--help']
  const { stdout, stderr, exited } = Bun.spawn(words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, problems] = await Promise.all([new Response(stdout).text(), new Response(stderr).text(), exited])
  expect(output).toStartWith('Usage: bun relata types')
  expect(output + problems).not.toContain('never-printed')
})

describe('relata workspace', () => {
  test('domain verify makes a domain a verified domain, and refuses what is no domain', async () => {
    for (const word of ['Example.com', 'example.com']) {
      const { exitCode, output } = await relata('domain', 'verify', word)
      expect([exitCode, output]).toEqual([0, 'example.com is a verified domain of workspace first.'])
    }
    const rows = await database.db.sql`select 1 from relata.domains where verified_at is not null`
    expect(rows).toHaveLength(1)
    expect((await relata('domain', 'verify', 'ada@example.com')).problem).toContain('is not a domain')
  })

  test('set changes the output of list and the version of the data model', async () => {
    const version = async () => (await database.db.sql`select data_model_version as n from relata.workspaces`)[0]?.n
    const before = await version()
    expect((await relata('workspace', 'list')).output).toMatch(/^first +First +off +on +w_1$/m)
    await relata('workspace', 'set', '--shows-updated-at', 'on')
    await relata('workspace', 'set', '--creates-contacts', 'off')
    expect((await relata('workspace', 'list')).output).toMatch(/^first +First +on +off +w_1$/m)
    expect(await version()).toBe(before + 2)
  })

  test('must be named when several exist', async () => {
    const second = await createWorkspace(database.db, { name: 'Second', slug: 'second', now: systemClock()() })
    expect(await relata('key', 'list')).toMatchObject({
      exitCode: 1,
      problem: 'Name the workspace with --workspace; there are: first, second.',
    })
    expect(await relata('key', 'list', '--workspace', 'third')).toMatchObject({
      exitCode: 1,
      problem: 'There is no workspace "third"; there are: first, second.',
    })
    expect((await relata('key', 'list', '--workspace', 'second')).exitCode).toBe(0)
    const withoutAdmin = await relata('key', 'create', '--name', 'x', '--scopes', 'all', '--workspace', 'second')
    expect(withoutAdmin.problem).toBe('The workspace second has no administrator for whom the key could be created.')
    await database.db.sql`delete from relata.workspaces where id = ${second.id}`
    await database.db.sql`drop schema w_2 cascade`
  })
})

test('relata migrate prints the version of the schema', async () => {
  expect((await relata('migrate')).output).toMatch(/^The database is up to date, at \d{4}_\w+\.$/)
})
