/** Creates PostgreSQL's data directory (its cluster) at the first start, and checks it at later starts. */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../connect'
import { COMMAND } from '../program'
import {
  accessFilePath,
  chooseOutsideDirectory,
  clusterDirectory,
  diskFull,
  findAccess,
  generatePassword,
  type ServerAccess,
  writeAccess,
} from './access'
import { type Binaries, chooseSystemUser, findBinaries, type SystemUser } from './binaries'

export interface Cluster {
  readonly dataDir: string
  readonly directory: string
  readonly access: ServerAccess
  readonly runAs: SystemUser
  readonly binaries: Binaries
}

/** The port that a new cluster gets if it is free. */
const DEFAULT_PORT = 54_329

/** Prepares the cluster of this data folder for a start on a free port. */
export async function prepareCluster(dataDir: string): Promise<Cluster> {
  const saved = findAccess(dataDir)
  const outside = saved ? saved.outside : chooseOutsideDirectory(dataDir, chooseSystemUser(join(dataDir, 'postgres')))
  const directory = clusterDirectory(dataDir, outside)
  const runAs = chooseSystemUser(directory)
  if (saved !== undefined && findInterruptedUpgrade(directory) !== undefined) throw upgradeInterrupted(directory)
  await stopOrphanedServer(directory)
  const binaries = await findBinaries(dataDir, runAs)
  const access = {
    port: await findFreePort(saved?.port ?? DEFAULT_PORT),
    password: saved?.password ?? generatePassword(),
    outside,
  }
  const cluster: Cluster = { dataDir, directory, access, runAs, binaries }
  if (mustBeCreated(cluster, saved !== undefined)) createCluster(cluster)
  else checkVersion(cluster)
  return cluster
}

/** Throws when only the data or only the password exists, because a new cluster would hide the loss. */
function mustBeCreated({ dataDir, directory }: Cluster, hasAccess: boolean): boolean {
  const exists = existsSync(directory)
  if (exists && hasAccess) return false
  if (exists) {
    throw new StartError(
      `${directory} holds data, but ${accessFilePath(dataDir)} with its password is missing; restore that file from a backup.`,
    )
  }
  if (hasAccess && !existsSync(unfinished(directory))) {
    throw new StartError(
      `The data in ${directory} is gone; restore it from a backup, or remove ${accessFilePath(dataDir)} to begin anew.`,
    )
  }
  return true
}

/** Throws when another major version of PostgreSQL wrote the data. */
function checkVersion({ directory, binaries: { major } }: Cluster): void {
  const version = readMajor(directory)
  if (version !== major) throw otherMajor(directory, { version, major })
}

/** The major version of PostgreSQL that wrote the data. */
export const readMajor = (directory: string): number =>
  Number(readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim())

export function otherMajor(directory: string, { version, major }: { version: number; major: number }): StartError {
  const wayOut =
    version < major
      ? `run \`${COMMAND} upgrade\`, which copies it to a PostgreSQL ${major} and keeps the old data, or start the version of Relata that wrote it`
      : `start the version of Relata that wrote it, or a newer one`
  return new StartError(
    `The data in ${directory} was written by PostgreSQL ${version}, but this version of Relata brings PostgreSQL ${major}; ${wayOut}.`,
  )
}

// An upgrade makes a cluster of another major version beside the old one. Then it renames the old one, and gives the new one its name.

/** The new cluster of an upgrade, until it takes the place of the old one. */
export const upgradedDirectory = (directory: string): string => `${directory}.upgraded`

/** Where an upgrade keeps the old cluster. */
export const replacedDirectory = (directory: string, major: number): string => `${directory}.${major}`

/** Returns the new cluster of an upgrade that was killed between its two renames. */
export function findInterruptedUpgrade(directory: string): string | undefined {
  const upgraded = upgradedDirectory(directory)
  if (existsSync(directory) || !existsSync(upgraded)) return undefined
  return listReplaced(directory).length > 0 ? upgraded : undefined
}

export const upgradeInterrupted = (directory: string): StartError =>
  new StartError(
    `The upgrade of ${directory} was interrupted at its end, and nothing is lost; run \`${COMMAND} upgrade\`, which finishes it.`,
  )

/** The clusters of earlier major versions that upgrades have kept. */
export function listReplaced(directory: string): string[] {
  const folder = dirname(directory)
  if (!existsSync(folder)) return []
  const prefix = `${basename(directory)}.`
  const isReplaced = (name: string) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))
  return readdirSync(folder)
    .filter(isReplaced)
    .map((name) => join(folder, name))
}

/** `initdb` works under this name. A complete cluster is renamed, so an incomplete one is never used. */
export const unfinished = (directory: string) => `${directory}.unfinished`

export function createCluster({ dataDir, directory, access, runAs, binaries }: Cluster): void {
  const folder = unfinished(directory)
  const passwordFile = `${directory}.password`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  writeAccess(dataDir, access)
  writeFileSync(passwordFile, access.password, { mode: 0o600 })
  for (const path of [folder, passwordFile]) changeOwner(runAs, path)
  const { exitCode, output } = binaries.run('initdb', initOptions(folder, passwordFile))
  rmSync(passwordFile, { force: true })
  if (exitCode !== 0) throw initError(directory, output)
  renameSync(folder, directory)
}

/** `initdb` reports each step, and then what went wrong. */
function initError(directory: string, output: string): StartError {
  const [cause] = /(?:error|FATAL|PANIC): .*/.exec(output) ?? [output.trim()]
  if (/No space left|quota exceeded/i.test(output)) return diskFull(directory, cause)
  return new StartError(
    `PostgreSQL could not make its data folder ${directory} (${cause}); mend that, or set DATABASE_URL to a PostgreSQL of your own.`,
  )
}

function changeOwner({ uid, gid }: SystemUser, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

const initOptions = (directory: string, passwordFile: string): string[] => [
  `--pgdata=${directory}`,
  '--username=postgres',
  `--pwfile=${passwordFile}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--locale=C.UTF-8',
  '--no-instructions',
]

// Cleans up after a service that was killed: shuts its PostgreSQL down if it still runs, and removes its pid file.
// Only the owner of the data folder's lock may call this.

/** After this time PostgreSQL gets the signal to end at once. It then recovers at the next start. */
const SHUTDOWN_TIMEOUT_MS = 60_000

export async function stopOrphanedServer(directory: string): Promise<void> {
  if (process.platform === 'win32') return // there, PostgreSQL itself refuses to start beside another
  const pid = Number(readPidFile(directory)[0])
  if (!(pid > 0)) return
  if (isServerOf(directory, pid)) await stopProcess(directory, pid)
  rmSync(join(directory, 'postmaster.pid'), { force: true })
}

async function stopProcess(directory: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGINT')
  for (const startedAt = Date.now(); isServerOf(directory, pid); await Bun.sleep(20)) {
    if (Date.now() - startedAt > SHUTDOWN_TIMEOUT_MS) process.kill(pid, 'SIGQUIT')
  }
}

/** Compares the command line, because the operating system may have given the process id to another program. */
function isServerOf(directory: string, pid: number): boolean {
  const words = commandLine(pid)
  return words.includes('postgres') && words.includes(` -D ${directory} `)
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return Bun.spawnSync(['ps', '-ww', '-o', 'command=', '-p', String(pid)]).stdout.toString()
  } catch {
    return ''
  }
}

// Reads `postmaster.pid`, in which PostgreSQL writes the state of its server.

/** The lines of PostgreSQL's pid file: process id, directory, start time, port, …, state. */
export function readPidFile(directory: string): string[] {
  try {
    return readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A standby accepts connections, and the check of the server refuses it. */
const READY = ['ready', 'standby']

/** Whether a server accepts connections. With `pid`, only that server: the pid file of a crashed one also says "ready". */
export function isReady(directory: string, pid?: number): boolean {
  const lines = readPidFile(directory)
  return READY.includes(lines[7]?.trim() ?? '') && (pid === undefined || lines[0] === String(pid))
}

/** Returns the wanted port if it is free on this machine, otherwise another free port. */
export async function findFreePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted
}

/** Returns the port if a server can listen on it. The operating system chooses a port for 0. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}
