/** Compares one process that publishes, matches, sends and records with the simplest program that delivers. */

import { spawnBun } from '../processes'
import { cpuOf } from '../measure/usage'
import { until } from '../../support/until'
import { ask, onlyWebhooks, request, type Parts } from './parts'

const WEBHOOKS = 20
const EVENTS = 1_500
const TOTAL = WEBHOOKS * EVENTS

export async function throughput(parts: Parts): Promise<void> {
  const paths = Array.from({ length: WEBHOOKS }, (_, index) => `/well/${index}`)
  await onlyWebhooks(parts, 'list.created', paths)
  const begun = performance.now()
  const cpu = cpuOf(parts.service.pid)
  await happen(parts)
  await until(async () => (await kept(parts)) >= TOTAL, { every: 50 })
  const perSecond = TOTAL / ((performance.now() - begun) / 1000)
  const cpuMicros = ((cpuOf(parts.service.pid) - cpu) * 1000) / TOTAL
  const seen = await ask<unknown[]>(parts, '/seen')
  const floor = await floorOf(parts)
  const ratio = (perSecond / floor.perSecond).toFixed(2)
  console.log(
    `${TOTAL} deliveries to ${WEBHOOKS} webhooks: ${perSecond.toFixed(0)} a second (at least 3000), ${seen.length} received`,
  )
  console.log(`  floor: ${floor.perSecond.toFixed(0)} a second; ratio ${ratio}`)
  console.log(`  processor time for each: ${cpuMicros.toFixed(0)} µs, floor ${floor.cpuMicros.toFixed(0)} µs`)
}

/** Inserts events into the outbox, and wakes the publisher with a write. */
async function happen(parts: Parts): Promise<void> {
  await parts.bench.db.sql`
    insert into relata.outbox (workspace_id, occurred_at, actor, events)
    select w.id, now(), 0, json_build_array(json_build_object('event_type', 'list.created', 'id', json_build_object('list_id', i)))
    from relata.workspaces w, generate_series(1, ${EVENTS}::int) i`
  await request(parts, 'POST', '/v2/test_endpoints', {})
}

async function kept({ bench }: Parts): Promise<number> {
  const [row] = await bench.db.sql<{ count: string }[]>`select count(*) as count from relata.delivery_attempts`
  return Number(row?.count ?? 0)
}

async function floorOf({ bench, receivers }: Parts): Promise<{ perSecond: number; cpuMicros: number }> {
  const floor = ['e2e/bench/deliveries/floor.ts', bench.url, `${receivers}/well/floor`, String(TOTAL), String(WEBHOOKS)]
  const output = await new Response(spawnBun(floor).stdout).text()
  await ask({ receivers }, '/seen')
  return JSON.parse(output)
}
