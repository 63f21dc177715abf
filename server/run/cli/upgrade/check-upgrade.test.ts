import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, connectionName } from '#db/connect'
import { startEmbedded } from '#db/embedded'
import { VERSION } from '#db/program'
import { emptyTestDatabase, SECRET_KEY_SETTING, testDatabase, type TestDatabase } from '#testing/database'
import { everythingIn } from '#testing/everything-in'
import { runRelata } from '#testing/command-line'

let database: TestDatabase
let root: string
/** Has a backup of now. */
let backups: string

beforeAll(async () => {
  database = await testDatabase()
  root = mkdtempSync(join(tmpdir(), 'relata-upgrade-check-'))
  chmodSync(root, 0o755) // as root, another user runs PostgreSQL and needs access to the folder
  backups = join(root, 'backups')
  await relata(['backup', backups])
})
afterAll(async () => {
  await database.drop()
  rmSync(root, { recursive: true, force: true })
})

const relata = (words: readonly string[], environment: Record<string, string> = {}) =>
  runRelata(words, {
    DATABASE_URL: database.url,
    RELATA_FILES_DIR: join(root, 'files'),
    ...SECRET_KEY_SETTING,
    ...environment,
  })

/** With backups of now. */
const check = (environment: Record<string, string> = {}) =>
  relata(['upgrade', '--check'], { RELATA_BACKUP_TO: backups, ...environment })

/** Makes a change, runs the check, and undoes the change. */
async function checkAfter(change: string, undo: string) {
  await database.db.sql.unsafe(change)
  try {
    return await check()
  } finally {
    await database.db.sql.unsafe(undo)
  }
}

const NO_MIGRATION = 'ok       The tables are those of this version: no migration runs.'
const NO_PROCESS = 'ok       No process of the service is connected.'
const RECENT = expect.stringMatching(/^ok {7}The newest backup in \S+ is of \d{4}-\d\d-\d\dT\d\d:\d\dZ\.$/)
const READY = `Relata ${VERSION} is ready to start.`
const NOT_READY = `Relata ${VERSION} would not start.`
const WARNED = `Relata ${VERSION} would start; read the warnings first.`

describe('upgrade --check exits with 0', () => {
  test('when nothing is to be done', async () => {
    expect(await check()).toMatchObject({
      exitCode: 0,
      lines: [NO_MIGRATION, NO_PROCESS, RECENT, '', READY],
      problem: '',
    })
  })

  test('for migrations, with the sentence of each, and applies none', async () => {
    await database.db.sql`delete from relata.migrations where name = '0210_worker_versions'`
    await database.db.sql`alter table relata.workers drop column version`
    await database.db.sql`update relata.migrations set version = '0.0.1'`
    const before = await everythingIn(database.db)
    const { exitCode, lines } = await check()
    expect(exitCode).toBe(0)
    expect(lines).toContain(
      'note     The start runs the migration 0210_worker_versions: Stores which version of Relata each running process of the service is.',
    )
    expect(lines).toContainEqual(expect.stringMatching(/^Upgrading, .+:$/))
    expect(lines.at(-1)).toBe(READY)
    expect(await everythingIn(database.db)).toEqual(before)
    await database.db.sql`update relata.migrations set version = ${VERSION}`
    await relata(['migrate'])
  })

  test('and names the connected processes by their versions', async () => {
    const versions = { first: null, second: '0.0.9', third: '0.0.9', disconnected: '0.0.8' }
    const rows = Object.entries(versions).map(([name, version]) => ({ name: connectionName(name), version }))
    await database.db.sql`insert into relata.workers ${database.db.sql(rows)}`
    const connected = ['first', 'second', 'third'].map((name) =>
      connect(database.url, { max: 1, applicationName: connectionName(name) }),
    )
    for (const { sql } of connected) await sql`select 1`
    const { exitCode, lines } = await check()
    for (const each of connected) await each.close()
    await database.db.sql`delete from relata.workers`
    expect([exitCode, ...lines.slice(1, 3)]).toEqual([
      0,
      'note     Connected processes of an earlier version: 1.',
      'note     Connected processes of Relata 0.0.9: 2.',
    ])
  })

  test('for an empty database, and for a folder that does not exist', async () => {
    const empty = await emptyTestDatabase()
    const { exitCode, lines } = await check({ DATABASE_URL: empty.url })
    await empty.drop()
    expect([exitCode, lines[0]]).toEqual([0, 'note     The database has no tables; the first start makes them.'])
    const dataDir = join(root, 'absent')
    const absent = await check({ DATABASE_URL: '', RELATA_DATA_DIR: dataDir })
    expect([absent.exitCode, absent.lines[0]]).toEqual([
      0,
      `note     There is no data in ${dataDir}; the first start makes it.`,
    ])
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe('upgrade --check exits with 3', () => {
  const checkBackups = (place: string, environment: Record<string, string> = {}) =>
    relata(['upgrade', '--check', '--backups', place], environment)

  test('without a place of backups', async () => {
    const { exitCode, lines } = await relata(['upgrade', '--check'])
    expect([exitCode, ...lines.slice(2)]).toEqual([
      3,
      'warning  RELATA_BACKUP_TO is not set; name the place of your backups with --backups.',
      '',
      WARNED,
    ])
  })

  test('when no backup is there, and when it is older than a day', async () => {
    const empty = join(root, 'empty')
    mkdirSync(empty)
    expect(await checkBackups(empty)).toMatchObject({
      exitCode: 3,
      lines: expect.arrayContaining([`warning  ${empty} has no complete backup.`]),
    })
    const old = join(root, 'old')
    await relata(['backup', old])
    const [name = ''] = readdirSync(join(old, 'backups'))
    renameSync(join(old, 'backups', name), join(old, 'backups', '2026-01-02T10-11-12.123456Z'))
    expect(await checkBackups(old)).toMatchObject({
      exitCode: 3,
      lines: expect.arrayContaining([
        `warning  The newest backup in ${old} is of 2026-01-02T10:11Z, older than a day.`,
      ]),
    })
  })

  test('when backups cannot be read', async () => {
    const encrypted = join(root, 'encrypted')
    const secret = { RELATA_BACKUP_PASSPHRASE: 'correct horse battery staple' }
    await relata(['backup', encrypted], secret)
    expect((await checkBackups(encrypted, secret)).exitCode).toBe(0)
    expect(await checkBackups(encrypted)).toMatchObject({
      exitCode: 3,
      lines: expect.arrayContaining([
        `warning  The backups in ${encrypted} are encrypted; set RELATA_BACKUP_PASSPHRASE.`,
      ]),
    })
    writeFileSync(join(root, 'file'), '')
    expect(await checkBackups(join(root, 'file', 'x'))).toMatchObject({
      exitCode: 3,
      lines: expect.arrayContaining([`warning  ${join(root, 'file', 'x')} cannot be used: ENOTDIR.`]),
    })
  })
})

describe('upgrade --check exits with 1', () => {
  test.each([
    [
      'for a database of a newer version',
      `insert into relata.migrations (name, version) values ('9999_later', '9.0.0')`,
      `delete from relata.migrations where name = '9999_later'`,
      'start Relata 9.0.0 or newer',
    ],
    [
      'for one of an early version',
      `insert into relata.migrations (name) values ('0001_early')`,
      `delete from relata.migrations where name = '0001_early'`,
      'of an early version of Relata, which this version does not continue',
    ],
    [
      'after a restore that did not end',
      'create schema relata_restoring',
      'drop schema relata_restoring',
      'its restore did not end',
    ],
  ])('%s', async (_, change, undo, sentence) => {
    const { exitCode, lines } = await checkAfter(change, undo)
    expect([exitCode, lines.at(-1)]).toEqual([1, NOT_READY])
    expect(lines.filter((line) => line.startsWith('problem '))).toEqual([expect.stringContaining(sentence)])
  })

  test('with another key, without one, and with an unreachable database', async () => {
    const other = { RELATA_SECRET_KEY: Buffer.alloc(32, 'other').toString('base64') }
    expect(await check(other)).toMatchObject({
      exitCode: 1,
      lines: [
        expect.stringContaining('problem  The secrets are encrypted with the key'),
        NO_MIGRATION,
        NO_PROCESS,
        RECENT,
        '',
        NOT_READY,
      ],
    })
    const without = await check({ RELATA_SECRET_KEY: '' })
    expect([without.exitCode, without.lines[0]]).toEqual([1, expect.stringContaining('problem  Set RELATA_SECRET_KEY')])
    const unreachable = await check({ DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    expect([unreachable.exitCode, unreachable.lines[0]]).toEqual([
      1,
      expect.stringContaining('problem  PostgreSQL cannot be reached at 127.0.0.1:1'),
    ])
  })

  test('with a setting that this version does not know', async () => {
    const { exitCode, problem } = await check({ RELATA_OF_BEFORE: '1' })
    expect([exitCode, problem]).toEqual([1, expect.stringContaining('RELATA_OF_BEFORE is not a setting')])
  })
})

test.each([
  [['--check', '--remove-old'], 'Give one of --check, --binaries and --remove-old.'],
  [['--binaries', '/x', '--remove-old'], 'Give one of --check, --binaries and --remove-old.'],
  [['--backups', '/x'], '--backups belongs to --check.'],
])('upgrade %j is a usage error', async (words, sentence) => {
  const { exitCode, problem } = await relata(['upgrade', ...words])
  expect([exitCode, problem]).toEqual([2, `${sentence} See bun relata upgrade --help.`])
})

test('upgrade --check looks at the embedded database, also while its service runs', async () => {
  const dataDir = join(root, 'data')
  const environment = { DATABASE_URL: '', RELATA_SECRET_KEY: '', RELATA_DATA_DIR: dataDir }
  const cluster = join(dataDir, 'postgres')
  await (await startEmbedded({ dataDir, purpose: 'command', durability: 'throw-away' })).stop()
  const first = await check(environment)
  expect([first.exitCode, ...first.lines.slice(0, 3)]).toEqual([
    0,
    `ok       The data in ${cluster} is of PostgreSQL 18, which this version brings.`,
    expect.stringMatching(/^ok {7}The disk of \S+ has \d+ MB of free space, and the database has \d+ MB\.$/),
    'note     The database has no tables; the first start makes them.',
  ])
  expect(existsSync(join(dataDir, 'secret.key'))).toBe(false)
  const service = await startEmbedded({ dataDir, purpose: 'service', durability: 'throw-away' })
  expect((await check(environment)).exitCode).toBe(0)
  await service.stop()
  mkdirSync(join(dataDir, 'postgres.17'))
  expect((await check(environment)).lines[1]).toBe(
    `note     The old data of an upgrade is kept in ${cluster}.17 (bun relata upgrade --remove-old).`,
  )
  renameSync(cluster, `${cluster}.upgraded`)
  expect(await check(environment)).toMatchObject({
    exitCode: 1,
    lines: [expect.stringContaining('problem  The upgrade of'), RECENT, '', NOT_READY],
  })
  renameSync(`${cluster}.upgraded`, cluster)
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n')
  expect((await check(environment)).lines[0]).toContain('problem  The data in')
})
