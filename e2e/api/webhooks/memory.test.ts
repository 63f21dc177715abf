/** The memory of the service does not grow with the number of pending deliveries to failing receivers. */

import { expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { residentBytes } from '../../bench/measure/usage'
import { until } from '../../support/until'
import { startFixture } from './fixture'
import { startCounter } from './lost-nothing'
import { startReceiver } from './receivers'

/** Set DELIVERIES_WAITING=1000000 for a long run. */
const WAITING = Number(process.env.DELIVERIES_WAITING ?? 200_000)
const WEBHOOKS = 100
/** Pending deliveries before the first measurement, so that it includes the memory for queues and statements. */
const FEW = 20 * WEBHOOKS
const MOST_GROWTH = 64 * 1024 * 1024

const fixture = forThisFile(() => startFixture({ RELATA_WEBHOOK_TIMEOUT: '1' }))

test('the memory stays constant with many pending deliveries', async () => {
  const dead = await startReceiver(() => {})
  for (let index = 0; index < WEBHOOKS; index++) await fixture().webhook(`http://127.0.0.1:${dead.port}/${index}`)
  const { pid } = fixture().running
  await fillUp(FEW)
  await moreAttempts()
  const before = residentBytes(pid)
  await fillUp(WAITING)
  await moreAttempts()
  expect(residentBytes(pid) - before).toBeLessThan(MOST_GROWTH)
  const well = await startCounter()
  await fixture().webhook(`http://127.0.0.1:${well.port}/well`)
  await fixture().happen(['through'])
  await until(() => well.distinct() === 1)
  for (const { close } of [dead, well]) close()
}, 600_000)

async function attempts(): Promise<number> {
  const [row] = await fixture().reader`select count(*)::int as count from relata.delivery_attempts`
  return row?.count
}

/** Waits for three more attempts at each receiver. */
async function moreAttempts(): Promise<void> {
  const before = await attempts()
  await until(async () => (await attempts()) > before + 3 * WEBHOOKS)
}

/** Inserts pending deliveries, as if every webhook had got as many events. */
async function fillUp(waiting: number): Promise<void> {
  await fixture().reader`
    with added as (
      insert into relata.deliveries
        (workspace_id, webhook_id, id, position, event_id, event_type, kind, idempotency_key, body, due_at, created_at)
      select w.workspace_id, w.id, gen_random_uuid(), n, gen_random_uuid(), 'list.created', 'event', gen_random_uuid(),
        json_build_object('webhook_id', w.id, 'events', json_build_array(json_build_object('id', json_build_object('list_id', n))))::text,
        now(), now()
      from relata.webhooks w, generate_series(1, ${waiting / WEBHOOKS}::int) n
    ) update relata.webhooks set due_at = now()`
}
