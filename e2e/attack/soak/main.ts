/**
 * `bun run soak [minutes] [seconds between kills]`: mixed load on a service with its embedded PostgreSQL, of which one is killed again and
 * again. Then every acknowledged write is there, every event was delivered, and the invariants of `invariants.ts` hold. Reports the
 * memory of the service over the last third, in which only PostgreSQL is killed. See docs/testing.md.
 */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Request } from '../../support/http/client'
import { seed } from '../requests'
import { startKilledService } from './killed-service'
import { soakWrites } from './writes'

const [minutes = 60, killEverySeconds = 60] = Bun.argv.slice(2).map(Number)
if (!(minutes > 0 && killEverySeconds > 0)) {
  console.error('Usage: bun run soak [minutes] [seconds between kills]')
  process.exit(2)
}

const WRITERS = 4
const COUNTERS = 2
const READERS = 2
/** A client is idle for so much of the time of each request that it is busy for 70 % of the time. */
const IDLE = 3 / 7
/** A request may fail so long after a kill. */
const RESTART_MS = 30_000
const RETRY_MS = 200

const end = performance.now() + minutes * 60_000
const isOver = () => performance.now() >= end
const service = await startKilledService(RESTART_MS)
const { request, faults, counts } = service

/** Waits so long that the client is busy for 70 % of the time. */
async function paced<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  try {
    return await work()
  } finally {
    await Bun.sleep((performance.now() - begun) * IDLE)
  }
}

async function runWriter(client: number): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    for (const write of fc.sample(soakWrites, { seed: seed + client * 100_003 + round, numRuns: 200 })) {
      if (isOver()) return
      await paced(() => service.write(write))
    }
  }
}

async function runCounter(client: number): Promise<void> {
  const count = await service.createCounter(`counter ${client}`)
  while (!isOver()) await paced(count)
}

async function runReader(): Promise<void> {
  const reads: (() => ReturnType<Request>)[] = [
    () => request('POST', '/v2/objects/alpha/records/query', { filter: { name: 'x' }, limit: 50 }),
    () => request('POST', '/v2/sql', { sql: 'select name, count(*) from objects.alpha group by name' }),
    () =>
      request('POST', '/v2/objects/records/search', {
        query: 'soak',
        objects: ['alpha'],
        request_as: { type: 'workspace' },
      }),
    () => request('GET', '/v2/events?limit=50'),
    () => request('GET', '/scim/v2/Users'),
  ]
  for (let at = 0; !isOver(); at++) {
    const status = await paced(async () => (await reads[at % reads.length]?.())?.status).catch(() => undefined)
    if (status === undefined || status === 503) await Bun.sleep(RETRY_MS)
    if (status !== undefined && status >= 400 && status < 500)
      faults.push(`read ${at % reads.length} answered ${status}`)
    counts.reads++
  }
}

/** The memory of the service in MB, and when it was read. */
const memory: { readonly minute: number; readonly megabytes: number }[] = []
const readMemory = () => {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid()}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Kills PostgreSQL and the service by turns; in the last third, in which memory is measured, only PostgreSQL. */
async function runKills(): Promise<void> {
  const begun = performance.now()
  for (let kill = 0; ; kill++) {
    const next = performance.now() + killEverySeconds * 1000
    while (performance.now() < next) {
      if (isOver()) return
      await Bun.sleep(1000)
      memory.push({ minute: (performance.now() - begun) / 60_000, megabytes: readMemory() })
    }
    const isLastThird = performance.now() - begun > (minutes * 60_000 * 2) / 3
    if (kill % 2 === 0 || isLastThird) await service.killDatabase()
    else await service.killService()
    console.log(
      `${((performance.now() - begun) / 60_000).toFixed(1)} min: ${JSON.stringify({ ...counts, faults: faults.length })}`,
    )
  }
}

await Promise.all([
  runKills(),
  ...Array.from({ length: WRITERS }, (_, client) => runWriter(client)),
  ...Array.from({ length: COUNTERS }, (_, client) => runCounter(client)),
  ...Array.from({ length: READERS }, () => runReader()),
])

const deliveries = await service.check()
console.log(`${deliveries} deliveries in ${counts.received} requests`)

const slope = slopeOf(memory.filter(({ minute }) => minute > (minutes * 2) / 3))
console.log(
  `memory: ${Math.max(...memory.map(({ megabytes }) => megabytes)).toFixed(0)} MB at most, ${slope.toFixed(2)} MB a minute in the last third`,
)
console.log(JSON.stringify(counts))
for (const [fault, count] of Map.groupBy(faults, (fault) => fault.slice(0, 200)))
  console.log(`${count.length} × ${fault}`)
console.log(faults.length === 0 ? 'No faults.' : `${faults.length} faults.`)
process.exit(faults.length === 0 ? 0 : 1)

/** The slope of the line of least squares, in MB a minute. */
function slopeOf(points: typeof memory): number {
  const mean = (numbers: readonly number[]) =>
    numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length)
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map(({ megabytes }) => megabytes))]
  const spread = points.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, point) => sum + (point.minute - x) * (point.megabytes - y), 0) / spread
}
