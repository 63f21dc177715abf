/**
 * Measures the service at four times the load that it can take, and a quiet workspace beside one that floods the service.
 * `bun run bench:overload [--seconds 8] [--times 4]`; docs/benchmarks.md explains the output.
 */

import { parseArgs } from 'node:util'
import { makeWorkspaces } from '../growth/seed'
import { send } from '../growth/requests'
import { randomFrom } from '../data/random'
import { cpuOf, residentBytes } from '../measure/usage'
import { startBench, startService } from '../processes'
import { type Load, type LoadFigures, offer, type Target } from './load'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, times: { type: 'string', default: '4' } },
})
const seconds = Number(values.seconds)
const times = Number(values.times)

const PEOPLE = 2000
const PER_BATCH = 500
/** Requests a second of the workspace that is quiet. */
const QUIET_RATE = 20
/** The part of what the service can take at which it is quiet. */
const QUIET_PART = 0.25
const CLIENTS_AT_CAPACITY = 32
const WARM_UP_SECONDS = 3

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run().finally(bench.end)

async function run(): Promise<void> {
  const { key, port, pid } = await startService(bench, bench.url)
  const [other = ''] = await makeWorkspaces(bench.url, 1)
  const flooding: Target = { port, key, ids: await createPeople(port, key) }
  const quiet: Target = { port, key: other, ids: await createPeople(port, other) }
  await offer({ ...flooding, connections: 8, rate: Infinity, seconds: WARM_UP_SECONDS })

  const capacity = await offer({ ...flooding, connections: CLIENTS_AT_CAPACITY, rate: Infinity, seconds })
  show(`closed loop, ${CLIENTS_AT_CAPACITY} clients`, capacity)
  const rate = capacity.accepted / capacity.seconds
  const calm = await watched(pid, { ...flooding, connections: 200, rate: rate * QUIET_PART, seconds })
  show(`${QUIET_PART} of that rate`, calm)
  const alone = await offer({ ...quiet, connections: 20, rate: QUIET_RATE, seconds })
  show('a quiet workspace alone', alone)

  const overloaded: Load = { ...flooding, connections: 1000, rate: rate * times, seconds }
  await offer({ ...overloaded, seconds: WARM_UP_SECONDS })
  const [flood, beside] = await Promise.all([
    watched(pid, overloaded),
    offer({ ...quiet, connections: 20, rate: QUIET_RATE, seconds }),
  ])
  show(`${times} times that rate`, flood)
  show('a quiet workspace beside it', beside)
  show('after it', await watched(pid, { ...flooding, connections: 200, rate: rate * QUIET_PART, seconds }))
  console.log(`accepted requests: p99 ${(flood.p99 / calm.p99).toFixed(1)} times that of ${QUIET_PART} of the rate`)
  console.log(`quiet workspace: p99 ${(beside.p99 / alone.p99).toFixed(1)} times that alone`)
}

async function createPeople(port: number, key: string): Promise<readonly string[]> {
  const random = randomFrom(1)
  const ids: string[] = []
  for (let first = 0; first < PEOPLE; first += PER_BATCH) {
    const operations = Array.from({ length: PER_BATCH }, (_, index) => ({
      op: 'create',
      values: { name: `Person ${random.below(1_000_000)}`, email_addresses: [`person-${first + index}@example.com`] },
    }))
    const { data } = (await send(port, key, 'POST', '/v2/objects/people/records/batch?return=ids', {
      data: { operations },
    })) as unknown as { data: { results: { data: { id: { record_id: string } } }[] } } // the response to a batch
    ids.push(...data.results.map((each) => each.data.id.record_id))
  }
  return ids
}

interface WatchedFigures extends LoadFigures {
  readonly memory?: { readonly least: number; readonly most: number }
  readonly cpu?: number
}

/** Adds the memory and the processor time of the service. */
async function watched(pid: number, load: Load): Promise<WatchedFigures> {
  const seen: number[] = []
  const timer = setInterval(() => seen.push(residentBytes(pid)), 250)
  const before = cpuOf(pid)
  const figures = await offer(load)
  clearInterval(timer)
  return { ...figures, cpu: cpuOf(pid) - before, memory: { least: Math.min(...seen), most: Math.max(...seen) } }
}

function show(name: string, figures: WatchedFigures): void {
  const { accepted, refused, failed, unsent, p50, p99, p99Refused, cpu, memory } = figures
  const perSecond = (count: number) => `${(count / figures.seconds).toFixed(0)}/s`
  const parts = [
    `accepted ${perSecond(accepted)}`,
    `refused ${perSecond(refused)}`,
    `failed ${failed}`,
    `without a connection ${unsent}`,
    `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    ...(refused > 0 ? [`p99 of refusals ${p99Refused.toFixed(1)} ms`] : []),
    ...(cpu === undefined ? [] : [`${(cpu / (accepted + refused)).toFixed(2)} ms of the processor a request`]),
    ...(memory === undefined ? [] : [`${megabytes(memory.least)} to ${megabytes(memory.most)}`]),
  ]
  console.log(`${name.padEnd(28)} ${parts.join(', ')}`)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`
}
