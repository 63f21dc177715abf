import { beforeEach, describe, expect, test } from 'bun:test'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'
import type { Micros } from '#base/timing/clock'
import { createLeaseStore, LEASE_MICROS } from './lease'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { AttemptResult, OutgoingRequest, Send } from '#events/webhooks/send/send-request'
import { runDeliveryWorker } from './worker'

const SECOND = 1_000_000
const DAY = 86_400 * SECOND
const START = Date.UTC(2030, 0, 1) * 1000

const service = useTestService()
let now: Micros
beforeEach(async () => {
  now = START
  await service.db.sql`delete from relata.webhooks`
  await service.db.sql`delete from relata.deliveries`
})

const answered = (status: number, headers: Record<string, string> = {}): AttemptResult => ({
  status,
  headers,
  body: '',
  problem: undefined,
  duration: 1,
  address: '127.0.0.1',
})

/** Records the requests, and returns the results of `answer`. */
function receiver(
  answer: (request: OutgoingRequest, count: number) => AttemptResult | Promise<AttemptResult> = () => answered(200),
) {
  const sent: OutgoingRequest[] = []
  const send: Send = async (request) => answer(request, sent.push(request))
  return { sent, send }
}

async function webhook(target = 'https://example.com/hook'): Promise<string> {
  const data = { target_url: target, subscriptions: [{ event_type: 'list.created', filter: null }] }
  const { status, body } = await service.request('POST', '/v2/webhooks', { data })
  expect(status).toBe(200)
  return body.data.id.webhook_id
}

/** Publishes an event for each number, which becomes its list id. */
async function publishEvents(...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    const event = { event_type: 'list.created', id: { list_id: String(number) } } as const
    await appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: now }, [event])
  }
  await publishBatch(service.db, () => now, matchEvents)
}

function worker(send: Send) {
  const { db } = service
  return runDeliveryWorker({
    db,
    now: () => now,
    name: crypto.randomUUID(),
    sending: { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 },
    recording: { random: () => 0.5 },
    pollMs: 3_600_000,
    lingerMs: 0,
  })
}

/** Runs a worker until nothing is due now. */
async function work(send: Send): Promise<void> {
  const running = worker(send)
  await running.settled()
  await running.stop()
}

const numbersOf = (sent: readonly OutgoingRequest[]) =>
  sent.map(({ body }) => Number(JSON.parse(body).events[0].id.list_id))
const deliveries = () => service.db.sql`select * from relata.deliveries order by position`
const webhookRow = async () => (await service.db.sql`select * from relata.webhooks`)[0]

describe('a delivery', () => {
  test('is sent with the stored body, and its attempt is recorded', async () => {
    const webhook_id = await webhook()
    await publishEvents(1)
    const { sent, send } = receiver()
    await work(send)
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({ webhook_id, status: 'succeeded', attempts: 1, due_at: null })
    expect(sent.map(({ body }) => body)).toEqual([delivery?.body])
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      webhook_id,
      events: [
        {
          event_type: 'list.created',
          id: { workspace_id: service.workspaceId, list_id: '1' },
          actor: { type: 'system', id: null },
        },
      ],
    })
    expect(sent[0]?.headers['Idempotency-Key']).toBe(delivery?.idempotency_key)
    const [attempt] = await service.db.sql`select * from relata.delivery_attempts where delivery_id = ${delivery?.id}`
    expect(attempt).toMatchObject({ number: 1, status_code: 200, problem: null, address: '127.0.0.1' })
    expect(JSON.parse(attempt?.request_headers)).toEqual(sent[0]?.headers)
  })

  test('goes once to each subscribed webhook, in the order of the events', async () => {
    await webhook('https://example.com/a')
    await webhook('https://example.com/b')
    const numbers = Array.from({ length: 250 }, (_, index) => index)
    await publishEvents(...numbers)
    const { sent, send } = receiver()
    await work(send)
    for (const target of ['https://example.com/a', 'https://example.com/b']) {
      expect(numbersOf(sent.filter((request) => request.target === target))).toEqual(numbers)
    }
  })

  test('is not made for an inactive webhook', async () => {
    await webhook()
    await service.db.sql`update relata.webhooks set status = 'inactive'`
    await publishEvents(1)
    expect((await deliveries()).length).toBe(0)
  })
})

describe('a failed attempt', () => {
  test('is retried when it is due, with the same key and body, and delays no newer delivery', async () => {
    await webhook()
    await publishEvents(1, 2)
    const failing = receiver((_, count) => answered(count === 1 ? 500 : 204))
    await work(failing.send)
    expect(numbersOf(failing.sent)).toEqual([1, 2])
    const { sent, send } = receiver()
    now += 9 * SECOND
    await work(send)
    expect(sent).toEqual([])
    now += SECOND
    await work(send)
    expect(numbersOf(sent)).toEqual([1])
    expect(sent[0]?.headers['Idempotency-Key']).toBe(failing.sent[0]?.headers['Idempotency-Key'] ?? '')
    expect(sent[0]?.headers['X-Relata-Delivery-Attempt']).toBe('2')
    expect((await deliveries()).map(({ status, attempts }) => [status, attempts])).toEqual([
      ['succeeded', 2],
      ['succeeded', 1],
    ])
  })

  test('that is the eleventh fails the delivery and degrades the webhook', async () => {
    await webhook()
    await publishEvents(1)
    const { sent, send } = receiver(() => answered(503))
    for (let attempt = 0; attempt < 12; attempt++) {
      await work(send)
      now += 2 * DAY
    }
    expect(sent.length).toBe(11)
    expect((await deliveries()).map(({ status, attempts }) => [status, attempts])).toEqual([['failed', 11]])
    expect(await webhookRow()).toMatchObject({ status: 'degraded', failures: 11, due_at: null })
  })

  test('with status 410 fails the delivery immediately', async () => {
    await webhook()
    await publishEvents(1)
    const { sent, send } = receiver(() => answered(410))
    await work(send)
    now += DAY
    await work(send)
    expect(sent.length).toBe(1)
    expect((await webhookRow())?.status).toBe('degraded')
  })

  test('is forgotten when a degraded webhook succeeds', async () => {
    await webhook()
    await publishEvents(1)
    await work(receiver(() => answered(410)).send)
    await publishEvents(2)
    await work(receiver().send)
    expect(await webhookRow()).toMatchObject({ status: 'active', degraded_at: null, failures: 0 })
  })

  test('a week after the first failed delivery makes the webhook inactive and drops its pending deliveries', async () => {
    await webhook()
    await publishEvents(1)
    await work(receiver(() => answered(410)).send)
    now += 7 * DAY + SECOND
    await publishEvents(2, 3)
    const { sent, send } = receiver(() => answered(500))
    await work(send)
    expect((await webhookRow())?.status).toBe('inactive')
    expect((await deliveries()).map(({ status }) => status)).toEqual(['failed', 'dropped', 'dropped'])
    await publishEvents(4)
    now += DAY
    await work(send)
    expect(numbersOf(sent)).not.toContain(4)
  })

  test('with Retry-After is retried after that time', async () => {
    await webhook()
    await publishEvents(1)
    const { sent, send } = receiver(() => answered(429, { 'retry-after': '600' }))
    await work(send)
    now += 599 * SECOND
    await work(send)
    expect(sent.length).toBe(1)
    now += SECOND
    await work(send)
    expect(sent.length).toBe(2)
  })
})

describe('workers', () => {
  test('share webhooks, and send everything once and in order', async () => {
    const targets = Array.from({ length: 8 }, (_, index) => `https://example.com/${index}`)
    for (const target of targets) await webhook(target)
    const numbers = Array.from({ length: 120 }, (_, index) => index)
    await publishEvents(...numbers)
    const { sent, send } = receiver(async () => {
      await Bun.sleep(0)
      return answered(200)
    })
    await Promise.all([work(send), work(send), work(send)])
    for (const target of targets) {
      expect(numbersOf(sent.filter((request) => request.target === target))).toEqual(numbers)
    }
  })

  test('take the lease of another process when it expires, and not before', async () => {
    await webhook()
    await publishEvents(1)
    const dead = createLeaseStore({ db: service.db, name: crypto.randomUUID(), now: () => now })
    expect(await dead.take({ limit: 1, onlyHealthy: false, openIds: [] })).toHaveLength(1)
    const { sent, send } = receiver()
    now += LEASE_MICROS - 1
    await work(send)
    expect(sent.length).toBe(0)
    now += 1
    await work(send)
    expect(sent.length).toBe(1)
  })

  test('send to other receivers while one hangs', async () => {
    await webhook('https://example.com/dead')
    await webhook('https://example.com/well')
    await publishEvents(1, 2, 3)
    const hanging = Promise.withResolvers<AttemptResult>()
    const asked = Promise.withResolvers<void>()
    const well = Promise.withResolvers<void>()
    const { sent, send } = receiver(async (request) => {
      if (request.target.endsWith('dead')) {
        asked.resolve()
        return hanging.promise
      }
      await asked.promise
      if (sent.filter(({ target }) => target.endsWith('well')).length === 3) well.resolve()
      return answered(200)
    })
    const running = worker(send)
    await well.promise
    hanging.resolve(answered(500))
    await running.stop()
    expect(numbersOf(sent.filter(({ target }) => target.endsWith('well')))).toEqual([1, 2, 3])
  })

  test('stop between attempts, and the next worker continues from there', async () => {
    await webhook()
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    await publishEvents(...numbers)
    const { sent, send } = receiver((_, count) => {
      if (count === 10) stopped = running.stop()
      return answered(200)
    })
    let stopped: Promise<void> | undefined
    const running = worker(send)
    await running.settled()
    await stopped
    expect(sent.length).toBe(10)
    await work(send)
    expect(numbersOf(sent)).toEqual(numbers)
  })
})
