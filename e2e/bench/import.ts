/** Imports people and companies with `relata import` and measures the time. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../db/connect'
import { writeCsvFiles, type CsvFile } from './data/csv'
import { makeFloor } from './floor/tables'
import { spawnBun, type Bench } from './processes'
import { residentBytes } from './measure/usage'

export interface ImportOutcome {
  /** Of people, the larger part. */
  readonly rows: number
  /** From the start of the command to its end. */
  readonly seconds: number
  /** Milliseconds of the command's processor time per person. */
  readonly cpu: number
  /** Of the command's memory: a quarter of the way through, and at its end. */
  readonly rss_early: number
  readonly rss_end: number
  /** And every second. Absent in what older runs kept. */
  readonly rss_by_second?: readonly number[]
  /** The same people by a loader written by hand. Absent where none ran, and in what older runs kept. */
  readonly floor?: LoadedByHand
}

interface LoadedByHand {
  readonly seconds: number
  /** Milliseconds of its processor time per person. */
  readonly cpu: number
}

/** What new workspaces lack of the attributes in the files. */
const MAKING = ['--create-attributes', '--create-options']
const SAMPLED_EVERY_MS = 1000

/**
 * Imports people and their companies into the only workspace of a database; with `hasFloor`, loads the same people by hand
 * afterwards. Throws unless every row arrives whole.
 */
export async function importPeople(
  { folder }: Bench,
  url: string,
  people: number,
  { hasFloor = false }: { readonly hasFloor?: boolean } = {},
): Promise<ImportOutcome> {
  const [companies, file] = await writeCsvFiles(folder, people)
  await importFile(companies, url)
  const { seconds, cpu, rss } = await importFile(file, url)
  const floor = hasFloor ? { floor: await loadByHand(file, url, people) } : {}
  for (const { path } of [companies, file]) rmSync(path)
  return {
    rows: people,
    seconds,
    cpu: cpu / people,
    rss_early: rss[Math.floor(rss.length / 4)] ?? 0,
    rss_end: rss.at(-1) ?? 0,
    rss_by_second: rss,
    ...floor,
  }
}

async function importFile({ object, path, map }: CsvFile, url: string): Promise<Ran> {
  const command = [join('server', 'cli', 'main.ts'), 'import', object, path, '--map', map, ...MAKING]
  const ran = await run(command, { DATABASE_URL: url })
  if (ran.code !== 0 || /NOT imported|without some of their values/.test(ran.output)) {
    throw new Error(`The import of ${object} ended with ${ran.code}: ${ran.output}`)
  }
  return ran
}

/** Into empty tables with the columns and indexes that the import met. */
async function loadByHand({ path }: CsvFile, url: string, people: number): Promise<LoadedByHand> {
  const { sql, close } = connect(url, { max: 1, applicationName: 'bench' })
  try {
    await makeFloor(sql, false)
    await sql.unsafe('truncate floor.people, floor.uniq')
    await sql.unsafe('vacuum analyze')
    await sql.unsafe('checkpoint')
    const { seconds, cpu, code, output } = await run([join('e2e', 'bench', 'floor', 'import.ts'), url, path])
    const [loaded] = await sql<{ people: number }[]>`select count(*)::int as people from floor.people`
    if (code !== 0 || loaded?.people !== people) {
      throw new Error(`The floor loaded ${loaded?.people} of ${people} people and ended with ${code}: ${output}`)
    }
    return { seconds, cpu: cpu / people }
  } finally {
    await close()
  }
}

interface Ran {
  readonly code: number
  readonly output: string
  /** From its start to its end. */
  readonly seconds: number
  /** Milliseconds of processor time. */
  readonly cpu: number
  /** Bytes of memory, second after second. */
  readonly rss: readonly number[]
}

async function run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran> {
  const begun = performance.now()
  const child = spawnBun(args, env)
  const rss: number[] = []
  const timer = setInterval(() => rss.push(residentBytes(child.pid)), SAMPLED_EVERY_MS)
  const output = await new Response(child.stdout).text()
  const code = await child.exited
  clearInterval(timer)
  const seconds = (performance.now() - begun) / 1000
  const microseconds = Number(child.resourceUsage()?.cpuTime.total ?? 0)
  return { code, output, seconds, cpu: microseconds / 1000, rss: rss.filter((bytes) => bytes > 0) }
}
