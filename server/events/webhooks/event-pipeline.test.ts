/** From the outbox to the receiver: a process sends the deliveries that it inserted without reading them. See docs/decisions/webhook-delivery.md. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { appendToOutbox, groupOf } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'
import type { InsertedDeliveries } from './delivery'
import { matchEvents } from './match/match-events'
import { runEventPipeline, type EventPipeline } from './event-pipeline'
import type { OutgoingRequest, Send } from './send/send-request'
import { runDeliveryWorker, type DeliveryWorker } from './queue/worker'

const service = useTestService()
const NO_GAPS: ReadonlySet<number> = new Set()
/** The group of the workspace, which another process may have published. */
const gaps = () => new Set([groupOf(service.workspaceId)])
beforeEach(async () => {
  await service.db.sql`delete from relata.webhooks`
  await service.db.sql`delete from relata.deliveries`
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  await service.request('POST', '/v2/webhooks', { data })
})

const now = () => service.appContext.now()
const appendEvent = (number: number) =>
  appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: now() }, [
    { event_type: 'list.created', id: { list_id: String(number) } },
  ])

/** Records the numbers of sent events. `reached` resolves when `count` of them were sent. */
function receiver() {
  const sent: number[] = []
  let heard = () => {}
  const send: Send = async ({ body }: OutgoingRequest) => {
    sent.push(Number(JSON.parse(body).events[0].id.list_id))
    heard()
    return { status: 200, headers: {}, body: '', problem: undefined, duration: 1, address: undefined }
  }
  const reached = (count: number) =>
    new Promise<void>((resolve) => {
      heard = () => {
        if (sent.length >= count) resolve()
      }
      heard()
    })
  return { sent, send, reached }
}

const options = (send: Send) => ({
  db: service.db,
  now,
  name: crypto.randomUUID(),
  sending: { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 },
})

describe('the deliveries of a published batch', () => {
  const hour = 3_600_000
  let worker: DeliveryWorker
  let inserted: readonly InsertedDeliveries[] = []

  const publish = () =>
    publishBatch(service.db, now, async (tx, events) => {
      inserted = await matchEvents(tx, events, worker.publishingWorker())
    })
  const deleteDeliveries = () => service.db.sql`delete from relata.deliveries`

  test('are sent from memory, the first by a new webhook queue and the second by the same queue', async () => {
    const { sent, send, reached } = receiver()
    worker = runDeliveryWorker({ ...options(send), pollMs: hour, lingerMs: hour })
    for (const number of [1, 2]) {
      await appendEvent(number)
      await publish()
      await deleteDeliveries()
      worker.append(inserted, NO_GAPS)
      await reached(number)
    }
    expect(inserted.map(({ isLeaseTaken }) => isLeaseTaken)).toEqual([false])
    await worker.stop()
    expect(sent).toEqual([1, 2])
  })

  test('are read from the database when another process may have published in between', async () => {
    const { sent, send, reached } = receiver()
    worker = runDeliveryWorker({ ...options(send), pollMs: hour, lingerMs: hour })
    await appendEvent(1)
    await publish()
    worker.append(inserted, NO_GAPS)
    await reached(1)
    await appendEvent(2)
    await publish() // the worker does not get this batch
    await appendEvent(3)
    await publish()
    worker.append(inserted, gaps())
    await reached(3)
    await worker.stop()
    expect(sent).toEqual([1, 2, 3])
  })

  test('are read from the database together with older pending ones', async () => {
    const { sent, send, reached } = receiver()
    worker = runDeliveryWorker({ ...options(send), pollMs: hour, lingerMs: hour })
    await worker.settled()
    await appendEvent(1)
    await publish() // takes the lease, and the worker does not get the batch
    await service.db.sql`update relata.webhooks set leased_by = null, leased_until = null`
    await appendEvent(2)
    await publish()
    worker.append(inserted, NO_GAPS)
    await reached(2)
    await worker.stop()
    expect(sent).toEqual([1, 2])
  })
})

test('deliveries that two processes publish in turns are sent once and in order', async () => {
  const { sent, send, reached } = receiver()
  const run = () => runEventPipeline({ ...options(send), days: 30 })
  const processes: readonly EventPipeline[] = [await run(), await run()]
  const numbers = Array.from({ length: 300 }, (_, index) => index)
  for (const number of numbers) {
    await appendEvent(number)
    processes[number % 7 < 4 ? 0 : 1]?.wake()
  }
  await reached(numbers.length)
  for (const { stop } of processes) await stop()
  expect(sent).toEqual(numbers)
})
