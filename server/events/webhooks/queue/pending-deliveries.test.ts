/** A read finds pending deliveries of any age, although `waiting_since` leaves out older partitions. See docs/decisions/webhook-delivery.md. */

import { expect, test } from 'bun:test'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { OutgoingRequest } from '#events/webhooks/send/send-request'
import { createReader } from './pending-deliveries'
import { runDeliveryWorker } from './worker'

const DAY = 86_400_000_000
const START = Date.UTC(2030, 0, 1) * 1000

const service = useTestService()

/** Publishes an event on a day after the start, sends all that is due, and returns the list ids that were sent. */
async function runOnDay(day: number, status: number, list_id?: string): Promise<string[]> {
  service.setNow(START + day * DAY)
  const { db } = service
  const { now } = service.appContext
  if (list_id !== undefined) {
    const origin = { workspaceId: service.workspaceId, actor: 0, at: now() }
    await appendToOutbox(db.sql, origin, [{ event_type: 'list.created', id: { list_id } }])
    await publishBatch(db, now, matchEvents)
  }
  const sent: string[] = []
  const send = async ({ body }: OutgoingRequest) => {
    sent.push(JSON.parse(body).events[0].id.list_id)
    return { status, headers: {}, body: '', problem: undefined, duration: 1, address: undefined }
  }
  const sending = { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 }
  const worker = runDeliveryWorker({ db, now, name: crypto.randomUUID(), sending, pollMs: 3_600_000, lingerMs: 0 })
  await worker.settled()
  await worker.stop()
  return sent
}

const waitingSince = async () =>
  (await service.db.sql`select waiting_since from relata.webhooks`).map(({ waiting_since }) => waiting_since)

test('old deliveries are redelivered beside new ones, and waiting_since moves on', async () => {
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  const { webhook_id } = (await service.request('POST', '/v2/webhooks', { data })).body.data.id
  expect(await runOnDay(0, 200, 'a')).toEqual(['a'])
  expect(await runOnDay(9, 500, 'b')).toEqual(['b'])
  expect(await waitingSince()).toEqual(['2030-01-10 00:00:00+00'])

  const path = `/v2/webhooks/${webhook_id}/deliveries`
  const { body } = await service.request('GET', path)
  await service.request('POST', `${path}/${body.data.at(-1).delivery_id}/redeliver`)
  expect(await waitingSince()).toEqual(['2030-01-01 00:00:00+00'])
  expect((await runOnDay(10, 200, 'c')).toSorted()).toEqual(['a', 'b', 'c'])
  expect(await runOnDay(12, 200, 'd')).toEqual(['d'])
  expect(await waitingSince()).toEqual(['2030-01-13 00:00:00+00'])
})

test('a queue that knows all first attempts reads only test events and repeated deliveries', async () => {
  service.setNow(START + 20 * DAY)
  const { db, workspaceId } = service
  const { now } = service.appContext
  const origin = { workspaceId, actor: 0, at: now() }
  for (const list_id of ['e', 'f', 'g'])
    await appendToOutbox(db.sql, origin, [{ event_type: 'list.created', id: { list_id } }])
  await publishBatch(db, now, matchEvents)
  const name = crypto.randomUUID()
  const [webhook] = await db.sql<{ id: string }[]>`
    update relata.webhooks set leased_by = ${name}, waiting_since = ${'2030-01-01'} returning id`
  const lease = { workspaceId, webhookId: webhook?.id ?? '' }
  const reader = createReader({ db, name, now })
  const read = async (lastPosition: number, isComplete: boolean) =>
    (await reader.read(lease, { knownIds: new Set(), lastPosition, isComplete }))?.firstAttempts ?? []
  const listsOf = (deliveries: readonly { body: string }[]) =>
    deliveries.map(({ body }) => JSON.parse(body).events[0].id.list_id)

  const all = await read(0, false)
  expect(listsOf(all)).toEqual(['e', 'f', 'g'])
  const [, second, last] = all
  expect(listsOf(await read(second?.position ?? 0, false))).toEqual(['g'])
  expect(await read(last?.position ?? 0, true)).toEqual([])

  service.setNow(START + 20 * DAY + 1)
  await db.sql`update relata.deliveries set status = 'dropped', due_at = null where id = ${second?.id ?? ''}`
  const path = `/v2/webhooks/${lease.webhookId}`
  await service.request('POST', `${path}/deliveries/${second?.id}/redeliver`)
  expect(listsOf(await read(last?.position ?? 0, true))).toEqual(['f'])
  await service.request('POST', `${path}/test`, { data: { event_type: 'list.created' } })
  expect((await read(last?.position ?? 0, true)).map(({ position }) => position)).toEqual([0, second?.position ?? 0])
})
