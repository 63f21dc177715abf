/**
 * How fast webhooks are told, against the least a program in this stack can do. `bun run bench:deliveries`;
 * docs/benchmarks.md says how to read it.
 */

import { freePort } from '../../../db/embedded/port'
import type { Side } from '../measure'
import { spawn, spawnBun, startBench, startService, type Bench } from '../processes'
import { cpuOf } from '../usage'

const WEBHOOKS = 20
const EVENTS = 1_500
const RATE = 200
/** Every receiver that hangs is told as much as the others, so fewer events are as many deliveries. */
const RATE_BESIDE_DEAD = 20
const SECONDS = 8
const DEAD = 100
const WELL = 10

interface Parts {
  readonly bench: Bench
  readonly service: Side
  readonly receivers: string
  /** A test endpoint, whose change wakes the process. */
  readonly waker: string
}

const bench = await startBench()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void bench.end().then(() => process.exit(1)))
}
await run().finally(bench.end)

async function run(): Promise<void> {
  const port = await freePort(0)
  const receivers = spawn(bench, ['e2e/bench/deliveries/receivers.ts', String(port)])
  await receivers.readUntil(/Receivers listen/)
  const settings = { RELATA_ALLOW_PRIVATE_TARGETS: '1', RELATA_WEBHOOK_RATE: '0' }
  const service = await startService(bench, bench.url, { settings })
  const parts = { bench, service, receivers: `http://127.0.0.1:${port}`, waker: await makeWaker(service) }
  await throughput(parts)
  await showLatency(parts, { rate: RATE, dead: 0 })
  await showLatency(parts, { rate: RATE_BESIDE_DEAD, dead: 0 })
  await showLatency(parts, { rate: RATE_BESIDE_DEAD, dead: DEAD })
}

async function makeWaker({ port, key }: Side): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v2/test_endpoints`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: '{"data":{}}',
  })
  return ((await answer.json()) as { data: { test_endpoint_id: string } }).data.test_endpoint_id
}

/** Everything published, matched, sent and kept, from one process. */
async function throughput(parts: Parts): Promise<void> {
  await makeWebhooks(
    parts,
    Array.from({ length: WEBHOOKS }, (_, index) => `/well/${index}`),
  )
  const total = WEBHOOKS * EVENTS
  const begun = performance.now()
  const cpu = cpuOf(parts.service.pid)
  await happen(
    parts,
    Array.from({ length: EVENTS }, (_, index) => String(index)),
  )
  await until(async () => (await kept(parts)) >= total)
  const perSecond = total / ((performance.now() - begun) / 1000)
  const cpuMicros = ((cpuOf(parts.service.pid) - cpu) * 1000) / total
  const seen = await ask<unknown[]>(parts, '/seen')
  const floor = await floorOf(parts, total)
  const ratio = (perSecond / floor.perSecond).toFixed(2)
  console.log(
    `${total} deliveries to ${WEBHOOKS} webhooks: ${perSecond.toFixed(0)} a second (at least 3000), ${seen.length} received`,
  )
  console.log(`floor: ${floor.perSecond.toFixed(0)} a second; ratio ${ratio}`)
  console.log(`processor time for each: ${cpuMicros.toFixed(0)} µs, floor ${floor.cpuMicros.toFixed(0)} µs`)
}

async function floorOf({ bench, receivers }: Parts, count: number): Promise<{ perSecond: number; cpuMicros: number }> {
  const child = spawnBun([
    'e2e/bench/deliveries/floor.ts',
    bench.url,
    `${receivers}/well/floor`,
    String(count),
    String(WEBHOOKS),
  ])
  const output = await new Response(child.stdout).text()
  await ask({ receivers }, '/seen')
  return JSON.parse(output)
}

interface Pace {
  /** Events in a second. */
  readonly rate: number
  /** Receivers that never answer, beside those that are well. */
  readonly dead: number
}

async function showLatency(parts: Parts, pace: Pace): Promise<void> {
  const { sql } = parts.bench.db
  await sql`delete from relata.delivery_attempts`
  const cpu = cpuOf(parts.service.pid)
  const { p50, p95 } = await latency(parts, pace)
  const busy = ((cpuOf(parts.service.pid) - cpu) / (SECONDS * 10)).toFixed(0)
  const beside = pace.dead === 0 ? '' : `, beside ${pace.dead} that hang`
  console.log(
    `commit to receiver, ${pace.rate} events a second to ${WELL} receivers${beside}: p50 ${p50} ms, p95 ${p95} ms (at most 50), service ${busy} % of a core`,
  )
  const [exchange] = await sql<{ mean: number }[]>`
    select round(avg(duration_ms), 1)::float8 as mean from relata.delivery_attempts where status_code is not null`
  console.log(`  of it one exchange with a receiver: ${exchange?.mean ?? 0} ms on average`)
}

/** Milliseconds from the commit of an event to its arrival at each of the receivers that are well. */
async function latency(parts: Parts, { rate, dead }: Pace): Promise<{ p50: string; p95: string }> {
  await parts.bench.db.sql`delete from relata.webhooks`
  await ask(parts, '/seen')
  const well = Array.from({ length: WELL }, (_, index) => `/well/${index}`)
  await makeWebhooks(parts, [...well, ...Array.from({ length: dead }, (_, index) => `/dead/${index}`)])
  const committed = new Map<string, number>()
  const begun = performance.now()
  for (let count = 0; count < rate * SECONDS; count++) {
    const id = `${rate}-${dead}-${count}`
    await happen(parts, [id])
    committed.set(id, performance.timeOrigin + performance.now())
    const ahead = begun + (count * 1000) / rate - performance.now()
    if (ahead > 0) await Bun.sleep(ahead)
  }
  await until(async () => (await ask<number>(parts, '/count')) >= WELL * committed.size)
  const seen = await ask<[string, string, number][]>(parts, '/seen')
  const waits = seen.map(([, id, at]) => at - (committed.get(id) ?? at)).sort((a, b) => a - b)
  const at = (share: number) => (waits[Math.floor(waits.length * share)] ?? 0).toFixed(1)
  return { p50: at(0.5), p95: at(0.95) }
}

async function makeWebhooks({ service, receivers }: Parts, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const data = { target_url: `${receivers}${path}`, subscriptions: [{ event_type: 'list.created', filter: null }] }
    const answer = await fetch(`http://127.0.0.1:${service.port}/v2/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
      body: JSON.stringify({ data }),
    })
    if (answer.status !== 200) throw new Error(`A webhook was refused: ${await answer.text()}`)
  }
}

/** Events as writes leave them, and the word that a write gives to its process. */
async function happen({ bench, service, waker }: Parts, ids: readonly string[]): Promise<void> {
  await bench.db.sql`
    insert into relata.outbox (workspace_id, occurred_at, actor, events)
    select w.id, now(), 0, json_build_array(json_build_object('event_type', 'list.created', 'id', json_build_object('list_id', i)))
    from relata.workspaces w, unnest(${[...ids]}::text[]) i`
  // Any write will do.
  void fetch(`http://127.0.0.1:${service.port}/v2/test_endpoints/${waker}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${service.key}` },
    body: '{"data":{"name":"Waker"}}',
  }).then((answer) => answer.bytes())
}

async function kept({ bench }: Parts): Promise<number> {
  const [row] = await bench.db.sql<{ count: string }[]>`select count(*) as count from relata.delivery_attempts`
  return Number(row?.count ?? 0)
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await Bun.sleep(50)
}

async function ask<T>({ receivers }: Pick<Parts, 'receivers'>, path: string): Promise<T> {
  return (await fetch(`${receivers}${path}`)).json() as Promise<T>
}
