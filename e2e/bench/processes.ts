/** Starts and stops the programs of a run: PostgreSQL, the service and the floor. */

import { SECRET_KEY_SETTING } from '#testing/database'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connect, type Database } from '#db/connect'
import { startEmbedded } from '#db/embedded'
import { findFreePort } from '#db/embedded/cluster'
import type { Side } from './measure/measure'
import { parentOf } from './measure/usage'

/** The number of connections of each side to the database, which is the default of the service. */
export const CONNECTIONS = 10

export interface Bench {
  /** The folder for temporary files. */
  readonly folder: string
  readonly url: string
  readonly db: Database
  /** The id of PostgreSQL's main process. */
  readonly postgres: number
  /** Adds work for the end of the bench. The last one added runs first. */
  atEnd(work: () => unknown): void
  /** Ends the bench. May be called several times; resolves when everything has ended. */
  end(): Promise<void>
}

/**
 * Starts a database with the durability and tuning of production. It is in a temporary folder, unless `data` names one, which
 * remains for later runs.
 */
export async function startBench(data?: string): Promise<Bench> {
  const endings: (() => unknown)[] = []
  const endAll = async () => {
    for (const work of endings.splice(0).toReversed()) await work()
  }
  let ending: Promise<void> | undefined
  const end = () => (ending ??= endAll())
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'relata-bench-')) : resolve(data)
  if (data === undefined) endings.push(() => rmSync(folder, { recursive: true, force: true }))
  else mkdirSync(folder, { recursive: true })
  try {
    // PostgreSQL may run as another user, who needs access to the folder.
    chmodSync(folder, 0o755)
    const embedded = await startEmbedded({ dataDir: join(folder, 'data'), purpose: 'service' })
    endings.push(embedded.stop)
    const db = connect(embedded.url, { max: 2, applicationName: 'bench' })
    endings.push(db.close)
    return { folder, url: embedded.url, db, postgres: await postmasterOf(db), atEnd: (work) => endings.push(work), end }
  } catch (error) {
    await end()
    throw error
  }
}

async function postmasterOf(db: Database): Promise<number> {
  const [row] = await db.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const parent = row && parentOf(row.pid)
  if (parent === undefined) throw new Error('The processes of PostgreSQL cannot be seen; the bench needs Linux.')
  return parent
}

/** Starts the service as in production. The first start makes a workspace and a key; later starts get the key. */
export async function startService(
  bench: Bench,
  url: string,
  {
    profile,
    key: known,
    settings = {},
  }: {
    readonly profile?: string | undefined
    readonly key?: string | undefined
    /** Settings that differ from the defaults. */
    readonly settings?: Readonly<Record<string, string>>
  } = {},
): Promise<Side> {
  const port = await findFreePort(0)
  const options = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const env = {
    ...SECRET_KEY_SETTING,
    DATABASE_URL: url,
    PORT: String(port),
    RELATA_DB_CONNECTIONS: String(CONNECTIONS),
    RELATA_QUERY_SCORE_LIMIT: '0',
    ...settings,
  }
  const service = spawn(bench, [...options, 'server/main.ts'], env)
  const output = await service.readUntil(/Relata listens/)
  const key = /API key: +(\S+)/.exec(output)?.[1] ?? known
  if (key === undefined) throw new Error(`The service told no key: ${output}`)
  return { name: 'service', port, key, pid: service.pid }
}

export async function startFloor(bench: Bench): Promise<Side> {
  const port = await findFreePort(0)
  const floor = spawn(bench, ['e2e/bench/floor/main.ts', bench.url, String(port), String(CONNECTIONS)])
  await floor.readUntil(/The floor listens/)
  return { name: 'floor', port, key: 'none', pid: floor.pid }
}

/** Creates another database of the same PostgreSQL. */
export async function createDatabase({ db, url }: Bench, name: string): Promise<string> {
  await db.sql.unsafe(`create database ${name}`)
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

interface Program {
  readonly pid: number
  /** Returns the first match in the output. Throws when the program ends before. */
  readUntil(pattern: RegExp): Promise<string>
}

/** Runs Bun with these arguments. */
export const spawnBun = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  Bun.spawn([process.execPath, ...args], {
    cwd: join(import.meta.dir, '../..'),
    env: { ...withoutSettings(process.env), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })

/** Starts a program that ends with the bench. */
export function spawn(bench: Bench, args: readonly string[], env?: Readonly<Record<string, string>>): Program {
  const child = spawnBun(args, env)
  bench.atEnd(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  return {
    pid: child.pid,
    async readUntil(pattern) {
      const decoder = new TextDecoder()
      const reader = child.stdout.getReader()
      for (let output = ''; ;) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`${args.find((arg) => arg.endsWith('.ts'))} ended early: ${output}`)
        output += decoder.decode(value, { stream: true })
        if (!pattern.test(output)) continue
        void drain(reader)
        return output
      }
    },
  }
}

/** Reads the output of a program, which would otherwise block at a full pipe. */
async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}

/** Removes settings from the environment, because the bench measures the defaults. */
const withoutSettings = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('RELATA_')))
