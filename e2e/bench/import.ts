/** Fills a workspace with `relata import`, as a person would, and says how fast that went. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeCsvFiles, type CsvFile } from './csv'
import { spawnBun, type Bench } from './processes'
import { residentBytes } from './usage'

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
}

/** What new workspaces lack of the attributes in the files. */
const MAKING = ['--create-attributes', '--create-options']
const SAMPLED_EVERY_MS = 1000

/** Imports people and their companies into the only workspace of a database. Throws unless every row arrives whole. */
export async function importPeople({ folder }: Bench, url: string, people: number): Promise<ImportOutcome> {
  const [companies, file] = await writeCsvFiles(folder, people)
  await importFile(companies, url)
  const begun = performance.now()
  const { cpu, rss } = await importFile(file, url)
  const seconds = (performance.now() - begun) / 1000
  for (const { path } of [companies, file]) rmSync(path)
  return {
    rows: people,
    seconds,
    cpu: cpu / people,
    rss_early: rss[Math.floor(rss.length / 4)] ?? 0,
    rss_end: rss.at(-1) ?? 0,
    rss_by_second: rss,
  }
}

interface Used {
  /** Milliseconds of processor time. */
  readonly cpu: number
  /** Bytes of memory, second after second. */
  readonly rss: readonly number[]
}

async function importFile({ object, path, map }: CsvFile, url: string): Promise<Used> {
  const child = spawnBun([join('server', 'cli', 'main.ts'), 'import', object, path, '--map', map, ...MAKING], {
    DATABASE_URL: url,
  })
  const rss: number[] = []
  const timer = setInterval(() => rss.push(residentBytes(child.pid)), SAMPLED_EVERY_MS)
  const output = await new Response(child.stdout).text()
  const code = await child.exited
  clearInterval(timer)
  if (code !== 0 || /NOT imported|without some of their values/.test(output)) {
    throw new Error(`The import of ${object} ended with ${code}: ${output}`)
  }
  const microseconds = Number(child.resourceUsage()?.cpuTime.total ?? 0)
  return { cpu: microseconds / 1000, rss: rss.filter((bytes) => bytes > 0) }
}
