/**
 * Measures a service with many workspaces: its start, its memory, the first request of each workspace and the work of an idle
 * minute, or how fast it publishes the writes of all workspaces. `bun run bench:growth [--workspaces 5000] [--publishing 1,4]`;
 * docs/benchmarks.md explains the output.
 */

import { parseArgs } from 'node:util'
import { cpuOf } from '../measure/usage'
import { startBench, startService } from '../processes'
import { measurePublishing } from './publishing'
import { queryPeople, timeOf } from './requests'
import { makeWorkspaces, writeData } from './seed'
import { idleMinute, memoryOf, stopService } from './usage'

const { values } = parseArgs({
  options: {
    workspaces: { type: 'string', default: '5000' },
    idle: { type: 'string', default: '60' },
    publishing: { type: 'string' },
    rate: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '20' },
  },
})
const count = Number(values.workspaces)
const idleSeconds = Number(values.idle)

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await (values.publishing === undefined ? run() : publish(values.publishing.split(',').map(Number))).finally(bench.end)

async function run(): Promise<void> {
  const { key, pid } = await startService(bench, bench.url)
  await stopService(pid)
  await measure('One workspace', [key])
  const begun = performance.now()
  const keys = await makeWorkspaces(bench.url, count)
  const creation = (performance.now() - begun) / count
  const service = await startService(bench, bench.url, { key })
  await writeData(service, keys)
  await stopService(service.pid)
  await measure(`${count} workspaces, each made in ${creation.toFixed(0)} ms`, keys)
}

/** Publishes with each of these numbers of processes. */
async function publish(processes: readonly number[]): Promise<void> {
  await stopService((await startService(bench, bench.url)).pid)
  await makeWorkspaces(bench.url, count)
  const load = { rate: Number(values.rate), seconds: Number(values.seconds) }
  for (const number of processes) {
    console.log(`\n${count} workspaces, ${number === 1 ? 'one process' : `${number} processes`}`)
    const { backlog, cost, rate, waiting } = await measurePublishing(bench, { processes: number, ...load })
    show('backlog', `${backlog.toFixed(0)} writes a second, ${cost.toFixed(0)} µs of processor time each`)
    show('arriving', `${rate.toFixed(0)} writes a second; waiting after each quarter: ${waiting.join(', ')}`)
  }
}

/** Starts the service, and asks each workspace for people, twice. */
async function measure(title: string, keys: readonly string[]): Promise<void> {
  console.log(`\n${title}`)
  const begun = performance.now()
  const { port, pid } = await startService(bench, bench.url, { key: 'none' })
  show('start', `${(performance.now() - begun).toFixed(0)} ms`)
  show('memory', await memoryOf(pid, bench))
  show('idle minute', await idleMinute(pid, bench, idleSeconds))
  const before = cpuOf(pid) + cpuOf(bench.postgres)
  const first: number[] = []
  const second: number[] = []
  for (const key of keys) {
    first.push(await timeOf(() => queryPeople(port, key)))
    second.push(await timeOf(() => queryPeople(port, key)))
  }
  const perWorkspace = (cpuOf(pid) + cpuOf(bench.postgres) - before) / keys.length
  show('first request of a workspace', quantiles(first))
  show('second request', quantiles(second))
  show('both together', `${perWorkspace.toFixed(1)} ms of processor time, PostgreSQL included`)
  show('memory after them', await memoryOf(pid, bench))
  show('idle minute after them', await idleMinute(pid, bench, idleSeconds))
  await stopService(pid)
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`
}

function show(name: string, figure: string): void {
  console.log(`  ${name.padEnd(30)} ${figure}`)
}
