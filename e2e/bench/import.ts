/** Imports people and companies with `relata import` and measures the time. */

import { SECRET_KEY_SETTING } from '#testing/database'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '#db/connect'
import { writeCsvFiles, type CsvFile } from './data/csv'
import { makeFloor } from './floor/tables'
import { spawnBun, type Bench } from './processes'
import { residentBytes } from './measure/usage'

export interface ImportOutcome {
  /** The number of people, who are most of the rows, or of the records of one file. */
  readonly rows: number
  /** The time of the whole command. */
  readonly seconds: number
  /** The milliseconds of CPU time of the command per person. */
  readonly cpu: number
  /** The memory of the command after a quarter of the time, and at its end. */
  readonly rss_early: number
  readonly rss_end: number
  /** The memory in every second. Undefined in the files of older runs. */
  readonly rss_by_second?: readonly number[]
  /** The figures of the floor for the same people. Undefined when it did not run, and in the files of older runs. */
  readonly floor?: LoadedByHand
}

interface LoadedByHand {
  readonly seconds: number
  /** The milliseconds of its CPU time per person. */
  readonly cpu: number
}

/** New workspaces lack attributes and options of the files. */
const MAKING = ['--create-attributes', '--create-options']
const SAMPLED_EVERY_MS = 1000

/**
 * Imports people and their companies into the only workspace of a database. With `hasFloor`, the floor imports the same people
 * after that. Throws unless every row is imported completely.
 */
export async function importPeople(
  { folder }: Bench,
  url: string,
  people: number,
  { hasFloor = false }: { readonly hasFloor?: boolean } = {},
): Promise<ImportOutcome> {
  const [companies, file] = await writeCsvFiles(folder, people)
  await importFile(companies, url)
  const outcome = outcomeOf(await importFile(file, url), people)
  const floor = hasFloor ? { floor: await loadByHand(file, url, people) } : {}
  for (const { path } of [companies, file]) rmSync(path)
  return { ...outcome, ...floor }
}

export const outcomeOf = ({ seconds, cpu, rss }: Ran, rows: number): ImportOutcome => ({
  rows,
  seconds,
  cpu: cpu / rows,
  rss_early: rss[Math.floor(rss.length / 4)] ?? 0,
  rss_end: rss.at(-1) ?? 0,
  rss_by_second: rss,
})

/** Imports one file into the only workspace of a database. Throws unless every row is imported completely. */
export async function importFile({ object, path, map }: CsvFile, url: string): Promise<Ran> {
  const command = [join('server', 'run', 'cli', 'main.ts'), 'import', object, path, '--map', map, ...MAKING]
  const ran = await run(command, { ...SECRET_KEY_SETTING, DATABASE_URL: url })
  if (ran.code !== 0 || /NOT imported|without some of their values/.test(ran.output)) {
    throw new Error(`The import of ${object} ended with ${ran.code}: ${ran.output}`)
  }
  return ran
}

/** Loads people into empty tables with the columns and indexes that the import had. */
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
  /** The time from the start to the end. */
  readonly seconds: number
  /** The CPU time in milliseconds. */
  readonly cpu: number
  /** The bytes of memory in every second. */
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
