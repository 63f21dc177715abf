/**
 * Runs the embedded PostgreSQL, which the service uses when DATABASE_URL is not set. The first start creates its data. It
 * starts and stops with the service, and is restarted when it crashes. See docs/decisions/embedded-postgresql.md.
 */

import {
  clusterDirectory,
  createDataFolder,
  databaseUrl,
  explainFileError,
  findAccess,
  type ServerAccess,
  writeAccess,
} from './embedded/access'
import { type Cluster, findFreePort, isReady, prepareCluster } from './embedded/cluster'
import { type Server, ServerStartError, startServer } from './embedded/server'
import { supervise, type SupervisorEvents } from './embedded/supervise'
import type { Durability } from './embedded/settings'
import { StartError } from './connect'
import { Database } from 'bun:sqlite'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface EmbeddedDatabase {
  readonly url: string
  /** PostgreSQL's data directory. Undefined for a command that joins a running service. */
  readonly clusterDirectory?: string
  stop(): Promise<void>
}

export interface EmbeddedDatabaseOptions extends SupervisorEvents {
  readonly dataDir: string
  readonly purpose: LockPurpose
  readonly durability?: Durability
}

const PORT_ATTEMPTS = 5

/** How long a command waits for a service that is still starting. */
const READY_TIMEOUT_MS = 60_000

/** Locks the data folder and starts its PostgreSQL. Throws when another service runs on the folder. */
export async function startEmbedded(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const dataDir = createDataFolder(options.dataDir)
  const lock = await lockFolder(dataDir, options.purpose)
  if (isLock(lock)) return startLocked(dataDir, lock, options)
  throw alreadyRuns(dataDir, lock)
}

const alreadyRuns = (dataDir: string, { pid, purpose }: LockOwner): StartError =>
  purpose === 'upgrade'
    ? new StartError(`The data in ${dataDir} is being upgraded (process ${pid}); wait until that has ended.`)
    : new StartError(
        `Relata already runs on ${dataDir} (process ${pid}); stop it first, or set RELATA_DATA_DIR and PORT for a second one.`,
      )

/** Locks the data folder while its cluster is replaced. Meanwhile no service and no command can use it. */
export async function withUpgradeLock<T>(dataDir: string, run: () => Promise<T>): Promise<T> {
  const lock = await lockFolder(dataDir, 'upgrade')
  if (!isLock(lock)) throw alreadyRuns(dataDir, lock)
  try {
    return await run()
  } catch (error) {
    throw explainFileError(error, dataDir)
  } finally {
    lock.release()
  }
}

/** For commands: connects to the running service's database, or starts one that runs until the command stops it. */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  const folder = createDataFolder(dataDir)
  const lock = await lockFolder(folder, 'command')
  if (isLock(lock)) return startLocked(folder, lock, { dataDir, purpose: 'command' })
  if (lock.purpose === 'upgrade') throw alreadyRuns(folder, lock)
  return { url: databaseUrl(await waitUntilReady(folder)), stop: async () => {} }
}

async function lockFolder(dataDir: string, purpose: LockPurpose): Promise<Lock | LockOwner> {
  try {
    return await takeLock(dataDir, purpose)
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

async function startLocked(dataDir: string, lock: Lock, options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  try {
    const cluster = await prepareCluster(dataDir)
    const { url, server, start } = await startOnFreePort(cluster, options.durability ?? 'durable')
    const stop = supervise(server, start, options)
    return { url, clusterDirectory: cluster.directory, stop: () => stop().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    throw explainFileError(error, dataDir)
  }
}

interface Started {
  readonly url: string
  readonly server: Server
  /** Starts the server again, on the same port. */
  readonly start: () => Promise<Server>
}

/** Another process may take the port before PostgreSQL listens on it. Then the next attempt uses another port. */
async function startOnFreePort(cluster: Cluster, durability: Durability): Promise<Started> {
  for (let attempt = 1, access = cluster.access; ; attempt++) {
    const { port } = access
    const start = () => startServer(cluster, port, durability)
    try {
      writeAccess(cluster.dataDir, access)
      return { url: databaseUrl(access), server: await start(), start }
    } catch (error) {
      if (!(error instanceof ServerStartError && error.portIsTaken) || attempt === PORT_ATTEMPTS) throw error
      access = { ...access, port: await findFreePort(0) }
    }
  }
}

/** Waits for the PostgreSQL of a service that may have just begun to start. */
async function waitUntilReady(dataDir: string): Promise<ServerAccess> {
  for (const startedAt = Date.now(); Date.now() - startedAt < READY_TIMEOUT_MS; await Bun.sleep(50)) {
    const access = findAccess(dataDir)
    if (access && isReady(clusterDirectory(dataDir, access.outside))) return access
  }
  throw new StartError(`The service that runs on ${dataDir} has not started its PostgreSQL; see postgres.log there.`)
}

// Locks a data folder for one process. The lock is a file lock of the operating system, so it ends with its process, also
// when that is killed. SQLite takes the lock, because it locks files in the same way on every operating system.

/** A service keeps the lock until it is stopped; a command keeps it for a short time. No command may join an upgrade. */
type LockPurpose = 'service' | 'command' | 'upgrade'

interface LockOwner {
  readonly pid: number
  readonly purpose: LockPurpose
}

interface Lock {
  release(): void
}

/** How long to wait for a command to release the lock. */
const LOCK_TIMEOUT_MS = 60_000

/** Returns the lock, or the service that has it. Waits while a command has it. */
async function takeLock(dataDir: string, purpose: LockPurpose): Promise<Lock | LockOwner> {
  for (const startedAt = Date.now(); ; await Bun.sleep(50)) {
    const result = tryLock(dataDir, purpose)
    if (isLock(result) || result.purpose !== 'command' || Date.now() - startedAt > LOCK_TIMEOUT_MS) return result
  }
}

function tryLock(dataDir: string, purpose: LockPurpose): Lock | LockOwner {
  const ownerFile = join(dataDir, 'in-use.json')
  const lockFile = join(dataDir, 'in-use.lock')
  closeSync(openSync(lockFile, 'a', 0o600)) // other users could lock a file that they can read
  const file = new Database(lockFile)
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    return readOwner(ownerFile)
  }
  writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, purpose } satisfies LockOwner))
  return { release: () => file.close() }
}

const isLock = (result: Lock | LockOwner): result is Lock => 'release' in result

function readOwner(file: string): LockOwner {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { pid: 0, purpose: 'command' } // the owner has the lock and is still writing this file, so the caller tries again
  }
}
