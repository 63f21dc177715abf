/**
 * Compares the speed of the service with that of the floor, the simplest program in this stack. `bun run bench`;
 * docs/benchmarks.md explains the output.
 */

import { costOfAuthenticating } from './measure/authentication'
import { compareAll, type Against } from './compare'
import { EXPORT_FORMATS, type Exported, exportPeople } from './measure/export'
import { askFirst, dropIndexes, makeIndexes, type FirstQueries } from './measure/first'
import { makeFloor, readPeople } from './floor/tables'
import { importPeople, type ImportOutcome } from './import'
import { readKept, writeKept } from './kept-databases'
import type { Figures, Side } from './measure/measure'
import { readOptions, type Options } from './options'
import { numberIn } from './data/people'
import { createDatabase, startBench, startFloor, startService, type Bench } from './processes'
import {
  type Compared,
  ratio,
  renderAuthentication,
  renderExport,
  renderFirst,
  renderImport,
  renderMemory,
  renderWalk,
} from './report'
import { seedsOf } from './seeds/all'
import { compareSql } from './sql/compare'
import type { SqlOutcome } from './sql/report'
import { compareTransfers } from './transfers/compare'
import type { TransfersOutcome } from './transfers/report'
import { walk, type Walked } from './measure/walk'
import type { SeededPeople, Workload } from './workloads/workload'
import { WORKLOADS } from './workloads/all'

const IMPORTED = 100_000

interface Outcome {
  readonly load: ImportOutcome
  readonly first: readonly FirstQueries[]
  readonly compared: readonly Compared[]
  /** In ms per call. */
  readonly authentication_cpu?: number
  readonly walk?: Walked
  readonly exports?: readonly Exported[]
  readonly sql?: SqlOutcome
  readonly transfers?: TransfersOutcome
  readonly import?: ImportOutcome
  readonly failures: readonly string[]
}

await main(
  readOptions(process.argv.slice(2), [
    ...WORKLOADS.map(({ name }) => name),
    'walk',
    'export',
    'sql',
    'transfers',
    'import',
  ]),
)

async function main(options: Options): Promise<void> {
  const before = options.than === undefined ? [] : ((await Bun.file(options.than).json()) as Before).workloads
  const bench = await startBench(options.data)
  // The bench also cleans up after a signal.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void bench.end().then(() => process.exit(1)))
  }
  const outcome = await run(bench, options, before).finally(bench.end)
  if (options.json !== undefined) await Bun.write(options.json, JSON.stringify(forMachines(options, outcome), null, 2))
  process.exit(outcome.failures.length > 0 ? 1 : 0)
}

/** The contents of a file of `--json`. */
interface Before {
  readonly workloads: readonly Compared[]
}

async function run(bench: Bench, options: Options, before: readonly Compared[]): Promise<Outcome> {
  const { service, load } = await fill(bench, options)
  await settle(bench)
  const asked = WORKLOADS.filter(({ name }) => isAsked(options, name))
  const seeded = await readSeeded(bench, options.records)
  const seeds = seedsOf(asked)
  for (const { make } of seeds) await make(bench.db.sql, service)
  const first = await askAllFirst(bench, asked, seeded, service)
  await makeFloor(bench.db.sql, options.writers === 0 && asked.every(({ isQuery }) => isQuery))
  for (const { makeFloor } of seeds) await makeFloor(bench.db.sql)
  await settle(bench)
  const against: Against = {
    seeded,
    floor: await startFloor(bench),
    service,
    before: (name, concurrency) => figuresOf(before, name, concurrency),
  }
  const results = await compareAll(bench, asked, against, options)
  if (results.compared.length > 0) console.log(renderMemory(results.compared.map((each) => each.resident_bytes)))
  const outcome = { load, first, ...results, ...(await authentication(bench, service, results.compared)) }
  const walked = isAsked(options, 'walk') ? { walk: await walkOver(service, options.records) } : {}
  const exports = isAsked(options, 'export') ? { exports: await exportAll(service, options.records) } : {}
  const sql = isAsked(options, 'sql') ? { sql: await compareSql(bench, service, seeded) } : {}
  const transfers = isAsked(options, 'transfers') ? { transfers: await compareTransfers(bench) } : {}
  if (!isAsked(options, 'import')) return { ...outcome, ...walked, ...exports, ...sql, ...transfers }
  return {
    ...outcome,
    ...walked,
    ...exports,
    ...sql,
    ...transfers,
    import: await importAfresh(bench, Math.min(IMPORTED, options.records)),
  }
}

/** Finds the workspace of an earlier run, or creates and fills one. */
async function fill(bench: Bench, { records, profile, afresh }: Options) {
  const kept = await readKept(bench.folder, records)
  if (kept && afresh) await dropIndexes(bench.db.sql)
  const service = await startService(bench, bench.url, { profile, key: kept?.key })
  if (kept) return { service, load: kept.load }
  const load = await importPeople(bench, bench.url, records)
  console.log(renderImport('Loaded', load))
  await writeKept(bench.folder, { records, key: service.key, load })
  return { service, load }
}

/** Measures the queries before they have an index. After that, all indexes that they request exist. */
async function askAllFirst(bench: Bench, asked: readonly Workload[], seeded: SeededPeople, service: Side) {
  const first: FirstQueries[] = []
  const queries = asked.filter(({ isQuery }) => isQuery)
  if (queries.length > 0) console.log('Queries as the first callers meet them:')
  for (const workload of queries) {
    const times = await askFirst(workload, seeded, service)
    first.push(times)
    console.log(renderFirst(workload, times))
  }
  if (queries.length > 0)
    console.log('Indexes made of them:', await makeIndexes(bench.db.sql, queries, seeded, service))
  return first
}

/** Measures authentication and the get of which it is a part. */
async function authentication({ db }: Bench, service: Side, compared: readonly Compared[]) {
  const get = figuresOf(compared, 'get', 8)
  if (get === undefined) return {}
  const authentication_cpu = await costOfAuthenticating(db, service.key)
  console.log(renderAuthentication(authentication_cpu, get))
  return { authentication_cpu }
}

async function walkOver(service: Side, records: number): Promise<Walked> {
  const walked = await walk(service, records)
  console.log(renderWalk(walked))
  return walked
}

async function exportAll(service: Side, records: number): Promise<Exported[]> {
  const all: Exported[] = []
  for (const format of EXPORT_FORMATS) {
    const exported = await exportPeople(service, format, records)
    all.push(exported)
    console.log(renderExport(exported))
  }
  return all
}

/** Imports into a new workspace. */
async function importAfresh(bench: Bench, people: number): Promise<ImportOutcome> {
  const url = await createDatabase(bench, `afresh_${Date.now()}`)
  await startService(bench, url)
  const imported = await importPeople(bench, url, people, { hasFloor: true })
  console.log(renderImport('Imported into an empty workspace', imported))
  return imported
}

function isAsked({ only }: Options, name: string): boolean {
  return only.length === 0 || only.includes(name)
}

/**
 * Runs vacuum, analyze and a checkpoint now, so that they do not run during a measurement. The interaction attributes of the
 * people that an import or a seed wrote are not computed, which would take minutes.
 */
async function settle({ db }: Bench): Promise<void> {
  await db.sql`update relata.followed_feeds f
    set position = coalesce((select max(position) from relata.events e where e.workspace_id = f.workspace_id), 0)`
  await db.sql`delete from relata.interaction_refreshes`
  await db.sql.unsafe('vacuum analyze')
  await db.sql.unsafe('checkpoint')
}

/** Both sides begin with the same people. Those that earlier runs created have higher numbers than the loaded ones. */
async function readSeeded({ db }: Bench, records: number): Promise<SeededPeople> {
  const people = await readPeople(db.sql)
  let next = people.reduce((above, { email }) => Math.max(above, numberIn(email) + 1), records)
  return { people, next: () => next++ }
}

function figuresOf(before: readonly Compared[], name: string, concurrency: number): Figures | undefined {
  return before.find((each) => each.workload === name && each.concurrency === concurrency)?.service
}

function forMachines({ records, seconds, writers }: Options, { compared, ...rest }: Outcome) {
  return {
    at: new Date().toISOString(),
    bun: Bun.version,
    records,
    seconds,
    writers,
    ...rest,
    workloads: compared.map((each) => ({ ...each, ...ratiosOf(each) })),
  }
}

function ratiosOf({ floor, service }: Compared) {
  return (
    floor && {
      rate_ratio: ratio(service.rate, floor.rate),
      cpu_ratio: ratio(service.program_cpu, floor.program_cpu),
      postgres_cpu_ratio: ratio(service.postgres_cpu, floor.postgres_cpu),
    }
  )
}
