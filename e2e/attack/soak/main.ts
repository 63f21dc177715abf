/**
 * `bun run soak [minutes] [seconds between kills]`: mixed load on a service with its embedded PostgreSQL, of which one is killed again and
 * again. Then every acknowledged write is there, every event was delivered, and the invariants of `invariants.ts` hold. Reports the
 * memory of the service over the last third, in which only PostgreSQL is killed. See docs/testing.md.
 */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { createRequest, type Request } from '../../support/http/client'
import { makeObject } from '../../support/fixtures/model'
import { dataFolder } from '../../support/service/data-folder'
import { keyIn, startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { seed } from '../requests'
import { ALLOWED, faultsOf, importCsv, isAtRest, makeSoakData, SUBSCRIPTIONS } from './invariants'
import { type SoakState, sendSoakWrite, soakWrites } from './writes'

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
const DRAIN_MS = 600_000

const end = performance.now() + minutes * 60_000
const isOver = () => performance.now() >= end
const faults: string[] = []
const counts = { writes: 0, reads: 0, refused: 0, kills: 0 }
/** When the service or PostgreSQL was killed last. */
let killedAt = -Infinity

// A receiver that fails now and then. It knows the deliveries that it accepted.
const accepted = new Set<string>()
let received = 0
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    await request.text()
    if (++received % 20 === 0) return new Response('busy', { status: 503 })
    accepted.add(request.headers.get('idempotency-key') ?? '')
    return new Response('ok')
  },
})

const folder = dataFolder()
// The usual rate of a target would leave most deliveries for the time after the load.
const settings = { RELATA_DATA_DIR: folder.path, RELATA_ALLOW_PRIVATE_TARGETS: '1', RELATA_WEBHOOK_RATE: '0' }
let running = await startProcess(settings)
const key = keyIn(running.output())

/** Only 503, or no answer, soon after a kill is no fault. */
const request: Request = async (method, path, ...rest) => {
  try {
    const answer = await createRequest(running.url, key)(method, path, ...rest)
    if (answer.status >= 500 && !mayFail(answer.status)) faults.push(`${method} ${path} answered ${answer.status}`)
    if (answer.status === 503) counts.refused++
    return answer
  } catch (error) {
    if (!mayFail()) faults.push(`${method} ${path}: ${String(error)}`)
    throw error
  }
}
const mayFail = (status = 503) => status === 503 && performance.now() - killedAt < RESTART_MS

const webhookId = await createWebhook()
const known = await makeSoakData(request)
await makeObject(request, 'counters', [
  { api_slug: 'code', type: 'text', is_unique: true },
  { api_slug: 'count', type: 'number' },
])

/** The contract has no targets without TLS, so its check of responses is left out. */
async function createWebhook(): Promise<string> {
  const target_url = `http://127.0.0.1:${receiver.port}/hook`
  const answer = await fetch(`${running.url}/v2/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { target_url, subscriptions: SUBSCRIPTIONS } }),
  })
  const { data } = await answer.json()
  return data.id.webhook_id
}

/** Repeats a request until it is acknowledged. A write has an idempotency key, so it has its effect once. */
async function acknowledged(method: string, path: string, body: unknown) {
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  for (;;) {
    const answer = await request(method, path, body, { headers }).catch(() => undefined)
    if (answer !== undefined && answer.status < 500 && answer.body.code !== 'idempotency_conflict') return answer
    await Bun.sleep(RETRY_MS)
  }
}

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
  const state: SoakState = {
    request,
    known,
    entries: [],
    importCsv: (csv) => importCsv({ RELATA_DATA_DIR: folder.path }, csv),
  }
  for (let round = 0; !isOver(); round++) {
    for (const write of fc.sample(soakWrites, { seed: seed + client * 100_003 + round, numRuns: 200 })) {
      if (isOver()) return
      // A write without an answer may have happened; the invariants hold in both cases.
      const outcomes = await paced(() => sendSoakWrite(state, write)).catch(() => Bun.sleep(RETRY_MS).then(() => []))
      counts.writes += outcomes.length
      const isKilled = mayFail()
      for (const outcome of outcomes)
        if (!ALLOWED.has(outcome) && !(isKilled && /^(?:import|503)/.test(outcome)))
          faults.push(`unexpected: ${outcome}`)
    }
  }
}

/** The last acknowledged count of each record. */
const counters = new Map<string, number>()

async function runCounter(client: number): Promise<void> {
  const values = { code: `counter ${client}`, count: 0 }
  const { body } = await acknowledged('POST', '/v2/objects/counters/records', { data: { values } })
  const path = `/v2/objects/counters/records/${body.data.id.record_id}`
  for (let count = 1; !isOver(); count++) {
    const { status } = await paced(() => acknowledged('PATCH', path, { data: { values: { count } } }))
    if (status !== 200) faults.push(`the count ${count} answered ${status}`)
    counters.set(path, count)
    counts.writes++
  }
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

const recentOutput = () => running.output().slice(-3000)
/** The memory of the service in MB, and when it was read. */
const memory: { readonly minute: number; readonly megabytes: number }[] = []
const readMemory = () => {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8')) ?? []
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
    killedAt = performance.now()
    if (kill % 2 === 0 || isLastThird) {
      await folder.killDatabase(recentOutput)
    } else {
      await running.kill()
      running = await startProcess(settings)
    }
    killedAt = performance.now()
    counts.kills++
    console.log(
      `${((performance.now() - begun) / 60_000).toFixed(1)} min: ${JSON.stringify({ ...counts, received, faults: faults.length })}`,
    )
  }
}

await Promise.all([
  runKills(),
  ...Array.from({ length: WRITERS }, (_, client) => runWriter(client)),
  ...Array.from({ length: COUNTERS }, (_, client) => runCounter(client)),
  ...Array.from({ length: READERS }, () => runReader()),
])

await folder.withReader(async (reader) => {
  await until(() => isAtRest(reader), { most: DRAIN_MS, every: 500, why: recentOutput })
  const pending = () => reader`select 1 from relata.deliveries where due_at is not null limit 1`
  await until(async () => (await pending()).length === 0, { most: DRAIN_MS, every: 500, why: recentOutput })
  for (const [path, count] of counters) {
    const stored = (await request('GET', path)).body.data.values.count[0]?.value
    if (stored !== count) faults.push(`the count is ${stored}, and ${count} was acknowledged`)
  }
  const delivered = await reader<{ idempotency_key: string }[]>`
    select idempotency_key from relata.deliveries where webhook_id = ${webhookId}`
  const missing = delivered.filter(({ idempotency_key }) => !accepted.has(idempotency_key))
  if (missing.length > 0) faults.push(`${missing.length} of ${delivered.length} deliveries were not received`)
  console.log(`${delivered.length} deliveries in ${received} requests`)
  faults.push(...(await faultsOf(request, reader, webhookId)))
})
const exitCode = await running.stop()
if (exitCode !== 0) faults.push(`the service ended with ${exitCode}`)
await receiver.stop(true)
folder.remove()

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
