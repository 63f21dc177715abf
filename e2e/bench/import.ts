/** Fills a workspace with `relata import`, as a person would, and says how fast that went. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeCsvFiles, type CsvFile } from './csv'
import { spawnBun, type Bench } from './processes'
import { cpuOf, residentBytes } from './usage'

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
}

/** What new workspaces lack of the attributes in the files. */
const MAKING = ['--create-attributes', '--create-options']
const SAMPLED_EVERY_MS = 500

/** Imports people and their companies into the only workspace of a database. Throws unless every row arrives whole. */
export async function importPeople({ folder }: Bench, url: string, people: number): Promise<ImportOutcome> {
  const [companies, file] = await writeCsvFiles(folder, people)
  await importFile(companies, url)
  const begun = performance.now()
  const samples = await importFile(file, url)
  const seconds = (performance.now() - begun) / 1000
  for (const { path } of [companies, file]) rmSync(path)
  return {
    rows: people,
    seconds,
    cpu: (samples.at(-1)?.cpu ?? 0) / people,
    rss_early: samples[Math.floor(samples.length / 4)]?.rss ?? 0,
    rss_end: samples.at(-1)?.rss ?? 0,
  }
}

interface Sample {
  readonly cpu: number
  readonly rss: number
}

/** Gives what it had used, time after time. */
async function importFile({ object, path, map }: CsvFile, url: string): Promise<Sample[]> {
  const child = spawnBun([join('server', 'cli', 'main.ts'), 'import', object, path, '--map', map, ...MAKING], {
    DATABASE_URL: url,
  })
  const samples: Sample[] = []
  const timer = setInterval(
    () => samples.push({ cpu: cpuOf(child.pid), rss: residentBytes(child.pid) }),
    SAMPLED_EVERY_MS,
  )
  const output = await new Response(child.stdout).text()
  const code = await child.exited
  clearInterval(timer)
  if (code !== 0 || /NOT imported|without some of their values/.test(output)) {
    throw new Error(`The import of ${object} ended with ${code}: ${output}`)
  }
  return samples.filter(({ rss }) => rss > 0)
}
