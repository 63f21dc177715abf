/** `upgrade --check`: what the start of this version would do and need. Writes nothing. See docs/upgrading.md. */

import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readDatabaseSize, refuseHalfRestored } from '#db/check-server'
import { otherMajor, upgradeInterrupted } from '#db/embedded/cluster'
import { type ClusterState, OWN_MAJOR, readClusterState } from '#db/embedded/upgrade'
import { refuseWrongKeys } from '#db/encrypted-columns'
import { type MigrationPlan, planMigrations } from '#db/migrate'
import { summaryOf } from '#db/read-migrations'
import { COMMAND, PROGRAM_FOLDER, VERSION } from '#db/program'
import { listBackups, openRepository } from '#run/backup/format'
import { openPlace } from '#run/backup/target'
import { CommandError, type UnopenedContext } from '#run/cli/command'
import type { Config } from '#run/config/config'
import { listConnectedVersions } from '#run/startup/dead-workers'
import { explainFailure } from '#run/startup/explain-failure'
import { openCommandDatabase, type OpenDatabase } from '#run/startup/open-database'

/** A `problem` stops the start of this version; a `warning` is a reason to wait. */
type Level = 'ok' | 'note' | 'warning' | 'problem'

type Report = (level: Level, text: string) => void

const EXIT_CODES = { ready: 0, problem: 1, warning: 3 }

/** Returns the exit code. `backups` is where the backups are. */
export async function checkUpgrade({ config, now, print, printError }: UnopenedContext, backups?: string) {
  const counts = { ok: 0, note: 0, warning: 0, problem: 0 }
  const report: Report = (level, text) => {
    counts[level]++
    print(`${level.padEnd(8)} ${text}`)
  }
  const plan = await withReasons(report, () => checkDatabase(config, report, printError))
  await checkBackups(config, backups, now() / 1000, report)
  print('')
  for (const line of notesFor(plan)) print(line)
  print(verdict(counts))
  if (counts.problem > 0) return EXIT_CODES.problem
  return counts.warning > 0 ? EXIT_CODES.warning : EXIT_CODES.ready
}

function verdict({ warning, problem }: Readonly<Record<Level, number>>): string {
  if (problem > 0) return `Relata ${VERSION} would not start.`
  if (warning > 0) return `Relata ${VERSION} would start; read the warnings first.`
  return `Relata ${VERSION} is ready to start.`
}

/** A failure with a sentence for the operator is a problem. */
async function withReasons<T>(report: Report, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    report('problem', sentence)
    return undefined
  }
}

const sentenceOf = (error: unknown): string | undefined =>
  error instanceof CommandError ? error.message : explainFailure(error)

/** Returns undefined when there is no database, or when it cannot be read. */
async function checkDatabase(
  config: Config,
  report: Report,
  log: (line: string) => void,
): Promise<MigrationPlan | undefined> {
  const cluster = config.databaseUrl === undefined ? findCluster(config.dataDir) : undefined
  if (config.databaseUrl === undefined) {
    if (cluster === undefined) {
      report('note', `There is no data in ${config.dataDir}; the first start makes it.`)
      return undefined
    }
    checkCluster(cluster, report)
  }
  const database = await openCommandDatabase(config, { tables: 'as it is', log })
  try {
    await withReasons(report, () => refuseHalfRestored(database.db))
    await withReasons(report, () => refuseWrongKeys(database.db, database.secretKeys, true))
    if (cluster !== undefined) await checkSpace(cluster, database, report)
    return await checkTables(database, report)
  } finally {
    await database.close()
  }
}

const findCluster = (dataDir: string): ClusterState | undefined =>
  existsSync(dataDir) ? readClusterState(resolve(dataDir)) : undefined

/** Throws what the start would end with. */
function checkCluster({ directory, major, replaced }: ClusterState, report: Report): void {
  if (major === undefined) throw upgradeInterrupted(directory)
  if (major !== OWN_MAJOR) throw otherMajor(directory, { version: major, major: OWN_MAJOR })
  report('ok', `The data in ${directory} is of PostgreSQL ${major}, which this version brings.`)
  if (replaced.length > 0)
    report('note', `The old data of an upgrade is kept in ${replaced.join(', ')} (${COMMAND} upgrade --remove-old).`)
}

/** A migration that writes a table anew needs its size again, and that of the write-ahead log. */
async function checkSpace({ directory }: ClusterState, { db }: OpenDatabase, report: Report): Promise<void> {
  const size = await readDatabaseSize(db)
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize
  const text = `The disk of ${directory} has ${megabytes(free)} of free space, and the database has ${megabytes(size)}`
  if (free < size) report('warning', `${text}; a migration may need as much again.`)
  else report('ok', `${text}.`)
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`

async function checkTables({ db }: OpenDatabase, report: Report): Promise<MigrationPlan> {
  const plan = await planMigrations(db.sql)
  if (!plan.hasTables) {
    report('note', 'The database has no tables; the first start makes them.')
    return plan
  }
  for (const migration of plan.missing)
    report('note', `The start runs the migration ${migration.name}: ${summaryOf(migration)}`)
  if (plan.missing.length === 0) report('ok', 'The tables are those of this version: no migration runs.')
  checkProcesses(await listConnectedVersions(db), plan, report)
  return plan
}

function checkProcesses(versions: readonly (string | null)[], { missing }: MigrationPlan, report: Report): void {
  if (versions.length === 0) {
    report('ok', 'No process of the service is connected.')
    return
  }
  for (const [version, processes] of Map.groupBy(versions, (each) =>
    each === null ? 'an earlier version' : `Relata ${each}`,
  )) {
    const text = `Connected processes of ${version}: ${processes.length}.`
    const end = missing.length > 0 ? ' They take no requests any more when this version has migrated the database.' : ''
    report('note', text + end)
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** `now` is in milliseconds. */
async function checkBackups(config: Config, given: string | undefined, now: number, report: Report): Promise<void> {
  const place = given ?? config.backupTo
  if (place === undefined) {
    report('warning', 'RELATA_BACKUP_TO is not set; name the place of your backups with --backups.')
    return
  }
  try {
    const { target } = await openRepository(openPlace(place, config), config.backupPassphrase, 'exists')
    const newest = (await listBackups(target)).at(-1)
    if (newest === undefined) report('warning', `${place} has no complete backup.`)
    else reportAge(place, timeOf(newest), now, report)
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === undefined) throw error
    report('warning', sentence)
  }
}

/** The name of a backup is its time, with hyphens for colons. */
const timeOf = (backup: string): Date => new Date(backup.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))

function reportAge(place: string, time: Date, now: number, report: Report): void {
  const text = `The newest backup in ${place} is of ${time.toISOString().slice(0, 16)}Z`
  if (now - time.getTime() > DAY_MS) report('warning', `${text}, older than a day.`)
  else report('ok', `${text}.`)
}

/** What the changelog says of the versions since the one that migrated the database last. */
function notesFor(plan: MigrationPlan | undefined): string[] {
  if (plan === undefined || !plan.hasTables) return []
  if (plan.version === VERSION && plan.missing.length === 0) return []
  const notes = listUpgradeNotes(readFileSync(join(PROGRAM_FOLDER, 'CHANGELOG.md'), 'utf8'), plan.version)
  return notes.flatMap(({ version, lines }) => [`Upgrading, ${version}:`, ...lines, ''])
}

/** Reads the changelog, whose section of each version begins with what operators have to do or know. */

interface UpgradeNotes {
  /** The heading of the version. */
  readonly version: string
  readonly lines: readonly string[]
}

/**
 * The notes of all versions after `since`, the newest first; only those of the newest version when `since` is not known. A version
 * without notes is left out.
 */
export function listUpgradeNotes(changelog: string, since: string | undefined): UpgradeNotes[] {
  const sections = changelog.split(/^## /m).slice(1)
  const end = sections.findIndex((section) => section.split(/\s/, 1)[0] === since)
  const newer = since === undefined ? sections.slice(0, 1) : sections.slice(0, end < 0 ? undefined : end)
  return newer.flatMap((section) => {
    const [version = '', ...lines] = section.split('\n')
    const begin = lines.indexOf('### Upgrading')
    if (begin < 0) return []
    const rest = lines.slice(begin + 1)
    const next = rest.findIndex((line) => line.startsWith('### '))
    const notes = rest.slice(0, next < 0 ? undefined : next).filter((line) => line.trim() !== '')
    return notes.length > 0 ? [{ version, lines: notes }] : []
  })
}
