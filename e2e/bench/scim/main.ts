/**
 * Measures SCIM with 10,000 users and 500 groups. `bun run bench:scim`; docs/benchmarks.md explains the output.
 * Requests follow each other, as those of an identity provider do.
 */

import type { Side } from '../measure/measure'
import { startBench, startService } from '../processes'
import { type Kind, REQUESTS } from './requests'
import { seedDirectory } from './seed'

const PER_KIND = 200

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run().finally(bench.end)

async function run(): Promise<void> {
  const service = await startService(bench, bench.url)
  const directory = await seedDirectory(bench.db.sql)
  for (const kind of REQUESTS) {
    const times: number[] = []
    for (let n = 0; n < PER_KIND; n++) times.push(await timeOf(service, kind.make(directory, n)))
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1).padStart(8)
    console.log(`${kind.name.padEnd(44)} p50${at(0.5)} ms   p99${at(0.99)} ms`)
  }
}

async function timeOf(
  { port, key }: Pick<Side, 'port' | 'key'>,
  { method, path, body }: ReturnType<Kind['make']>,
): Promise<number> {
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/scim/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/scim+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
  return performance.now() - begun
}
