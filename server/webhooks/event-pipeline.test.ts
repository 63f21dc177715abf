/** From the outbox to the receiver, with nothing read again that the process has made itself. Decision 0068. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { appendToOutbox } from '../events/outbox'
import { publishBatch } from '../events/publish'
import { testService, type TestService } from '../testing/service'
import type { Made } from './match/insert-deliveries'
import { matchEvents } from './match/match-events'
import { runEventPipeline, type EventPipeline } from './event-pipeline'
import type { Outgoing, Send } from './send/send-request'
import { runDeliveryWorker, type DeliveryWorker } from './queue/worker'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())
beforeEach(async () => {
  await service.db.sql`delete from relata.webhooks`
  await service.db.sql`delete from relata.deliveries`
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  await service.request('POST', '/v2/webhooks', { data })
})

const now = () => service.appContext.now()
const happen = (number: number) =>
  appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: now() }, [
    { event_type: 'list.created', id: { list_id: String(number) } },
  ])

/** Keeps the numbers that were sent; `reached` resolves when there are so many. */
function receiver() {
  const sent: number[] = []
  let heard = () => {}
  const send: Send = async ({ body }: Outgoing) => {
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
  send,
  brand: 'relata',
  docsUrl: 'http://localhost/docs',
  perSecond: 0,
})

describe('what a process makes', () => {
  const hour = 3_600_000
  let worker: DeliveryWorker
  let made: readonly Made[] = []

  const publish = () =>
    publishBatch(service.db, now, async (tx, events) => {
      made = await matchEvents(tx, events, worker.taker())
    })
  const forgetDeliveries = () => service.db.sql`delete from relata.deliveries`

  test('is sent from memory, by a lane that is opened for it and then by the same', async () => {
    const { sent, send, reached } = receiver()
    worker = runDeliveryWorker({ ...options(send), pollMs: hour, lingerMs: hour })
    for (const number of [1, 2]) {
      await happen(number)
      await publish()
      await forgetDeliveries()
      worker.take(made, true)
      await reached(number)
    }
    expect(made.map(({ isTaken }) => isTaken)).toEqual([false])
    await worker.stop()
    expect(sent).toEqual([1, 2])
  })

  test('is read when another may have made something in between', async () => {
    const { sent, send, reached } = receiver()
    worker = runDeliveryWorker({ ...options(send), pollMs: hour, lingerMs: hour })
    await happen(1)
    await publish()
    worker.take(made, true)
    await reached(1)
    await happen(2)
    await publish() // and nobody says so
    await happen(3)
    await publish()
    worker.take(made, false)
    await reached(3)
    await worker.stop()
    expect(sent).toEqual([1, 2, 3])
  })

  test('for a webhook with something waiting is read with that', async () => {
    const { sent, send, reached } = receiver()
    worker = runDeliveryWorker({ ...options(send), pollMs: hour, lingerMs: hour })
    await worker.settled()
    await happen(1)
    await publish() // and nobody says so; its lease is taken all the same
    await service.db.sql`update relata.webhooks set leased_by = null, leased_until = null`
    await happen(2)
    await publish()
    worker.take(made, true)
    await reached(2)
    await worker.stop()
    expect(sent).toEqual([1, 2])
  })
})

test('what two processes make by turns goes out once, in the order in which it happened', async () => {
  const { sent, send, reached } = receiver()
  const run = () => runEventPipeline({ ...options(send), days: 30 })
  const processes: readonly EventPipeline[] = [await run(), await run()]
  const numbers = Array.from({ length: 300 }, (_, index) => index)
  for (const number of numbers) {
    await happen(number)
    processes[number % 7 < 4 ? 0 : 1]?.wake()
  }
  await reached(numbers.length)
  for (const { stop } of processes) await stop()
  expect(sent).toEqual(numbers)
})
