/**
 * How fast the service is, against the least a program in this stack can do. `bun run bench`; docs/benchmarks.md says how
 * to read it.
 */

import { makeFloor } from './floor-tables'
import { importPeople, type ImportOutcome } from './import'
import { measure, type Side } from './measure'
import { readOptions, type Options } from './options'
import { probe } from './probe'
import { createDatabase, startBench, startFloor, startService, type Bench } from './processes'
import { type Compared, HEADINGS, ratio, renderCompared, renderImport, renderMemory } from './report'
import { residentBytes } from './usage'
import { WORKLOADS, type Loaded, type Workload } from './workloads'

const CONCURRENCIES = [1, 8]
const IMPORTED = 100_000

interface Outcome {
  readonly load: ImportOutcome
  readonly compared: readonly Compared[]
  readonly import?: ImportOutcome
  readonly failures: readonly string[]
}

await main(readOptions(process.argv.slice(2), [...WORKLOADS.map(({ name }) => name), 'import']))

async function main(options: Options): Promise<void> {
  const bench = await startBench()
  // Told to stop, it leaves nothing behind either.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void bench.end().then(() => process.exit(1)))
  }
  const outcome = await run(bench, options).finally(bench.end)
  if (options.json !== undefined) await Bun.write(options.json, JSON.stringify(forMachines(options, outcome), null, 2))
  process.exit(outcome.failures.length > 0 ? 1 : 0)
}

async function run(bench: Bench, options: Options): Promise<Outcome> {
  const service = await startService(bench, bench.url, options.profile)
  const load = await importPeople(bench, bench.url, options.records)
  console.log(renderImport('Loaded', load))
  await makeFloor(bench.db.sql)
  await settle(bench)
  const floor = await startFloor(bench)
  const loaded = await readLoaded(bench, options.records)

  const asked = WORKLOADS.filter(({ name }) => isAsked(options, name))
  const results = await compareAll(bench, asked, loaded, [floor, service], options.seconds)
  if (results.compared.length > 0) console.log(renderMemory(results.compared.map((each) => each.resident_bytes)))
  if (!isAsked(options, 'import')) return { load, ...results }
  return { load, import: await importAfresh(bench, Math.min(IMPORTED, options.records)), ...results }
}

/** Into a workspace nobody has used. */
async function importAfresh(bench: Bench, people: number): Promise<ImportOutcome> {
  const url = await createDatabase(bench, 'afresh')
  await startService(bench, url)
  const imported = await importPeople(bench, url, people)
  console.log(renderImport('Imported into an empty workspace', imported))
  return imported
}

function isAsked({ only }: Options, name: string): boolean {
  return only.length === 0 || only.includes(name)
}

/** Whatever follows a load happens now, not during a measurement. */
async function settle({ db }: Bench): Promise<void> {
  await db.sql.unsafe('vacuum analyze')
  await db.sql.unsafe('checkpoint')
}

/** Both sides begin with the same people. */
async function readLoaded({ db }: Bench, records: number): Promise<Loaded> {
  const people = await db.sql<{ id: string; company: string; email: string }[]>`
    select id, company_target_record_id as company, email_addresses_email_address[1] as email
    from floor.people order by created_at, id`
  let last = records
  return { people: [...people], next: () => last++ }
}

async function compareAll(
  bench: Bench,
  workloads: readonly Workload[],
  loaded: Loaded,
  sides: readonly [Side, Side],
  seconds: number,
): Promise<Pick<Outcome, 'compared' | 'failures'>> {
  const compared: Compared[] = []
  const failures: string[] = []
  console.log(HEADINGS)
  for (const workload of workloads) {
    try {
      const bytes = await probe(workload, loaded, sides)
      for (const concurrency of CONCURRENCIES) {
        const how = { concurrency, seconds, postgres: bench.postgres }
        const [floor, service] = await measure(workload, loaded, sides, how)
        const each = {
          workload: workload.name,
          concurrency,
          bytes,
          floor,
          service,
          resident_bytes: residentBytes(sides[1].pid),
        }
        compared.push(each)
        console.log(renderCompared(workload, each))
        if (hasErrors(each)) failures.push(`${workload.name}: answers other than 200`)
      }
    } catch (error) {
      failures.push(`${workload.name}: ${error instanceof Error ? error.message : error}`)
      console.error(`${workload.title}  FAILED: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { compared, failures }
}

function hasErrors({ floor, service }: Compared): boolean {
  return [floor, service].some(({ errors }) => Object.keys(errors).length > 0)
}

function forMachines({ records, seconds }: Options, { compared, ...rest }: Outcome) {
  return {
    at: new Date().toISOString(),
    bun: Bun.version,
    records,
    seconds,
    ...rest,
    workloads: compared.map((each) => ({
      ...each,
      rate_ratio: ratio(each.service.rate, each.floor.rate),
      cpu_ratio: ratio(each.service.program_cpu, each.floor.program_cpu),
      postgres_cpu_ratio: ratio(each.service.postgres_cpu, each.floor.postgres_cpu),
    })),
  }
}
