/**
 * Measures the speed of webhook deliveries and their cost. `bun run bench:deliveries [--only busy,alone]`; docs/benchmarks.md
 * explains the output.
 */

import { parseArgs } from 'node:util'
import { startBench } from '../processes'
import { writing } from './create'
import { latency } from './latency'
import { showFlush, showStolen } from './machine'
import { startParts, type Parts } from './parts'
import { throughput } from './throughput'

const MEASUREMENTS: Readonly<Record<string, (parts: Parts) => Promise<void>>> = {
  calm: (parts) => latency(parts, { rate: 20, well: 10, dead: 0 }),
  alone: (parts) => latency(parts, { rate: 200, well: 1, dead: 0 }),
  busy: (parts) => latency(parts, { rate: 200, well: 10, dead: 0 }),
  // Receivers that hang get as many events as the others: together 2,200 deliveries per second.
  hanging: (parts) => latency(parts, { rate: 20, well: 10, dead: 100 }),
  writing,
  throughput,
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: Object.keys(MEASUREMENTS).join(',') }, profile: { type: 'string' } },
})
const chosen = values.only.split(',').map((name) => {
  const measure = MEASUREMENTS[name]
  if (measure === undefined) throw new Error(`There is ${Object.keys(MEASUREMENTS).join(', ')}, and no ${name}.`)
  return measure
})

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run().finally(bench.end)

async function run(): Promise<void> {
  const parts = await startParts(bench, values.profile)
  for (const measure of chosen) {
    await showFlush(bench.folder)
    await showStolen(() => measure(parts))
  }
}
