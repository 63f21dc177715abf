/**
 * Compares records of an object with 12 text and number attributes with two floors, one of which answers rows as plain JSON.
 * `bun run bench:wide`; docs/benchmarks.md explains the output.
 */

import { findFreePort } from '#db/embedded/cluster'
import type { ImportOutcome } from '../import'
import { readKept, writeKept } from '../kept-databases'
import { askFirst, makeIndexes } from '../measure/first'
import { measure, type Side } from '../measure/measure'
import { probe } from '../measure/probe'
import { residentBytes } from '../measure/usage'
import { walk } from '../measure/walk'
import { readOptions, type Options } from '../options'
import { type Bench, CONNECTIONS, spawn, startBench, startService } from '../processes'
import { HEADINGS, megabytes } from '../report'
import type { SeededPeople } from '../workloads/workload'
import { batchWorkloads } from './batches'
import { fillWide } from './fill'
import { renderWide, renderWideImport, renderWideWalk } from './report'
import { withAdded } from './rows'
import { findWideTable, makeWideFloor, readIds } from './tables'
import { RECORDS, wideWorkloads } from './workloads'

const NAMES = ['get', 'page', 'patch', 'create', 'batch-create', 'batch-update', 'batch-upsert', 'walk']
const CONCURRENCIES = [1, 8]
/** These workloads name no people. */
const NO_PEOPLE: SeededPeople = { people: [], next: () => 0 }

const options = readOptions(process.argv.slice(2), NAMES)
const bench = await startBench(options.data)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run(options).finally(bench.end)
process.exit(0)

async function run({ records, seconds, only }: Options): Promise<void> {
  const isAsked = (name: string) => only.length === 0 || only.includes(name)
  const service = await startFilled(bench, options)
  const table = await findWideTable(bench.db.sql)
  if (!table) throw new Error('The import made no records.')
  const ids = await readIds(bench.db.sql, table)
  let last = Date.now() * 100 // above the numbers of earlier runs in the same database
  const next = () => ++last
  const workloads = [...wideWorkloads(ids, next), ...batchWorkloads(ids, records, next)].filter(({ name }) =>
    isAsked(name),
  )
  const queries = workloads.filter(({ isQuery }) => isQuery)
  for (const workload of queries) await askFirst(workload, NO_PEOPLE, service)
  console.log('Indexes made:', await makeIndexes(bench.db.sql, queries, NO_PEOPLE, service))
  await makeWideFloor(bench.db.sql, table)
  await bench.db.sql.unsafe('vacuum analyze')
  await bench.db.sql.unsafe('checkpoint')
  const sides = [await startWideFloor('plain floor'), await startWideFloor('floor'), service]
  console.log(HEADINGS)
  for (const workload of workloads) {
    await probe(workload, NO_PEOPLE, sides.slice(1))
    for (const concurrency of CONCURRENCIES) {
      const figures = await measure(workload, NO_PEOPLE, sides, { concurrency, seconds, postgres: bench.postgres })
      console.log(renderWide(workload, concurrency, figures))
    }
    console.log(`The service's memory: ${megabytes(residentBytes(service.pid))}`)
  }
  if (isAsked('walk')) console.log(renderWideWalk(await walk(service, withAdded(records), RECORDS)))
}

/** Starts the service with the records of an earlier run, or imports them. */
async function startFilled({ folder, url }: Bench, { records, profile }: Options): Promise<Side> {
  const kept = await readKept(folder, records)
  const service = await startService(bench, url, { profile, key: kept?.key })
  if (kept) return service
  const load: ImportOutcome = await fillWide(bench, service, records)
  console.log(renderWideImport(load))
  await writeKept(folder, { records, key: service.key, load })
  return service
}

async function startWideFloor(name: 'plain floor' | 'floor'): Promise<Side> {
  const port = await findFreePort(0)
  const form = name === 'floor' ? 'members' : 'plain'
  const floor = spawn(bench, ['e2e/bench/wide/floor.ts', bench.url, String(port), String(CONNECTIONS), form])
  await floor.readUntil(/The floor listens/)
  return { name, port, key: 'none', pid: floor.pid }
}
