/**
 * The PostgreSQL that comes with Relata, for when no DATABASE_URL is set: made at the first start, started and stopped
 * with the service, started again should it die. Decision: docs/decisions/0001-embedded-postgresql.md
 */

import { clusterOf, findAccess, makeDataFolder, urlOf, writeAccess, type Access } from './embedded/access'
import { openCluster, type Cluster } from './embedded/cluster'
import { isLock, takeLock, type Lock, type Purpose } from './embedded/lock'
import { freePort } from './embedded/port'
import { readPidFile, ServerFailed, startServer, type Server } from './embedded/server'
import { supervise, type Supervision } from './embedded/supervise'
import type { Durability } from './embedded/settings'
import { StartProblem } from './start-problem'

export interface EmbeddedDatabase {
  readonly url: string
  stop(): Promise<void>
}

export interface EmbeddedOptions extends Supervision {
  readonly dataDir: string
  readonly purpose: Purpose
  readonly durability?: Durability
}

const PORT_ATTEMPTS = 5

/** How long a command waits for a service that is still starting. */
const PATIENCE_MS = 60_000

/** Takes the data folder and starts its PostgreSQL. Refuses when a service already runs on it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = makeDataFolder(options.dataDir)
  const lock = await takeLock(dataDir, options.purpose)
  if (isLock(lock)) return startLocked(dataDir, lock, options)
  throw new StartProblem(
    `Relata already runs on ${dataDir} (process ${lock.pid}); stop it first, or set RELATA_DATA_DIR and PORT for a second one.`,
  )
}

/** For commands: the database of the running service, or one started for as long as the command needs it. */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  const folder = makeDataFolder(dataDir)
  const lock = await takeLock(folder, 'command')
  if (isLock(lock)) return startLocked(folder, lock, { dataDir, purpose: 'command' })
  return { url: urlOf(await waitUntilReady(folder)), stop: async () => {} }
}

async function startLocked(dataDir: string, lock: Lock, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    const cluster = await openCluster(dataDir)
    const { url, server, start } = await startOnFreePort(cluster, options.durability ?? 'durable')
    const stop = supervise(server, start, options)
    return { url, stop: () => stop().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    throw error
  }
}

interface Started {
  readonly url: string
  readonly server: Server
  /** Starts it again as it was, on the same port. */
  readonly start: () => Promise<Server>
}

/** Somebody may take the port between our looking and PostgreSQL's listening; then another one is tried. */
async function startOnFreePort(cluster: Cluster, durability: Durability): Promise<Started> {
  for (let attempt = 1, access = cluster.access; ; attempt++) {
    const { port } = access
    const start = () => startServer(cluster, port, durability)
    try {
      writeAccess(cluster.dataDir, access)
      return { url: urlOf(access), server: await start(), start }
    } catch (error) {
      if (!(error instanceof ServerFailed && error.portIsTaken) || attempt === PORT_ATTEMPTS) throw error
      access = { ...access, port: await freePort(0) }
    }
  }
}

/** The service that holds the folder may have begun a moment ago. */
async function waitUntilReady(dataDir: string): Promise<Access> {
  for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; await Bun.sleep(50)) {
    const access = findAccess(dataDir)
    const pidFile = access ? readPidFile(clusterOf(dataDir, access.outside)) : []
    if (access && pidFile[7]?.trim() === 'ready') return access
  }
  throw new StartProblem(`The service that runs on ${dataDir} has not started its PostgreSQL; see postgres.log there.`)
}
