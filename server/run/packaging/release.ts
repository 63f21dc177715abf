/**
 * Makes a release: `bun run release <version>`. Cuts the section of the version in the changelog, sets the version, commits both, builds the
 * executables of all platforms with their digests, and checks the one of this machine. A release that failed after its commit goes on when
 * it is called again. See docs/recipes.md (Make a release).
 */

import { join } from 'node:path'
import { PROGRAM_FOLDER, VERSION } from '#db/program'
import { DIST, fileOf, isBuildTarget, PLATFORMS, hostTarget } from './build-executable'

const CHANGELOG = join(PROGRAM_FOLDER, 'CHANGELOG.md')
const MANIFEST = join(PROGRAM_FOLDER, 'package.json')

/** Major, minor and patch, with an optional pre-release such as `-rc.1`. */
const VERSION_FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9a-z]+(\.[0-9a-z]+)*)?$/

/** A release that cannot be made, in a sentence for its maker. */
class ReleaseError extends Error {}

/** Returns the changelog with what is under "Unreleased" as the section of the version. `date` is `YYYY-MM-DD`. */
export function cutChangelog(text: string, version: string, date: string): string {
  const heading = '## Unreleased\n'
  const start = text.indexOf(heading)
  if (start === -1) throw new ReleaseError('CHANGELOG.md has no section "Unreleased".')
  if (text.includes(`\n## ${version} `)) throw new ReleaseError(`CHANGELOG.md has a section ${version} already.`)
  const changes = text.slice(start + heading.length)
  if (!changes.startsWith('\n### Upgrading\n\n- ')) {
    throw new ReleaseError(
      '"Unreleased" does not begin with "Upgrading"; write what operators have to do, or "- Nothing to do."',
    )
  }
  return `${text.slice(0, start)}${heading}\n## ${version} (${date})\n${changes}`
}

/** Throws a `ReleaseError` unless the version is well-formed and newer than the one before. */
export function requireNewer(version: string, before: string): void {
  if (!VERSION_FORM.test(version)) throw new ReleaseError(`"${version}" is not a version such as 1.2.0 or 1.2.0-rc.1.`)
  if (Bun.semver.order(version, before) !== 1) throw new ReleaseError(`${version} is not newer than ${before}.`)
}

/** Returns the digests of files in the form that `sha256sum --check` reads. */
export async function digestsOf(folder: string, names: readonly string[]): Promise<string> {
  const lines = names.map(async (name) => {
    const hash = new Bun.CryptoHasher('sha256')
    for await (const chunk of Bun.file(join(folder, name)).stream()) hash.update(chunk)
    return `${hash.digest('hex')}  ${name}\n`
  })
  return (await Promise.all(lines)).join('')
}

async function cut(version: string): Promise<void> {
  requireNewer(version, VERSION)
  const date = new Date().toISOString().slice(0, 10)
  const changelog = cutChangelog(await Bun.file(CHANGELOG).text(), version, date)
  const manifest = await Bun.file(MANIFEST).text()
  await Bun.write(CHANGELOG, changelog)
  await Bun.write(MANIFEST, manifest.replace(`"version": "${VERSION}"`, `"version": "${version}"`))
  await git('commit', '--quiet', '--all', '--message', `release: ${version}`)
}

async function git(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await Bun.$`git ${words}`.cwd(PROGRAM_FOLDER).nothrow().quiet()
  if (exitCode !== 0) throw new ReleaseError(`git ${words[0]} failed: ${stderr}`)
  return stdout.toString()
}

/** Runs a script of this folder in a new process: this process has read `VERSION` before the release changed it. */
async function runScript(file: string, ...words: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await child.exited) !== 0)
    throw new ReleaseError(`${file} failed; correct the cause, and run the release again.`)
}

async function release(version: string): Promise<void> {
  if ((await git('status', '--porcelain')) !== '') throw new ReleaseError('There are changes that are not committed.')
  if (version !== VERSION || !(await Bun.file(CHANGELOG).text()).includes(`\n## ${version} `)) await cut(version)
  await runScript('build-executable.ts', 'all')
  await runScript('check-executable.ts', join(DIST, fileOf(hostTarget())))
  const names = Object.keys(PLATFORMS).filter(isBuildTarget).map(fileOf)
  await Bun.write(join(DIST, 'SHA256SUMS'), await digestsOf(DIST, names))
  await git('tag', '--annotate', `v${version}`, '--message', `Relata ${version}`)
  console.log(`Relata ${version} is in ${DIST} and tagged v${version}. Nothing is pushed.`)
}

if (import.meta.main) {
  const [version = '', ...more] = process.argv.slice(2)
  if (version === '' || more.length > 0) {
    console.log('Usage: bun run release <version>')
    process.exit(2)
  }
  try {
    await release(version)
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error
    console.log(error.message)
    process.exit(1)
  }
}
