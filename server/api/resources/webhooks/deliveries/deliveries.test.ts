import { beforeAll, describe, expect, test } from 'bun:test'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { AttemptResult, OutgoingRequest } from '#events/webhooks/send/send-request'
import { runDeliveryWorker } from '#events/webhooks/queue/worker'
import { appendToOutbox } from '#engine/outbox/outbox'
import { EVENT_KINDS, WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let person: string
beforeAll(async () => {
  const data = { values: { name: 'Grace Hopper' } }
  person = (await service.request('POST', '/v2/objects/people/records', { data })).body.data.id.record_id
  await publish()
})

const publish = () => publishBatch(service.db, service.appContext.now, matchEvents)

let made = 0
async function webhook(): Promise<string> {
  const subscriptions = [{ event_type: 'list.created', filter: null }]
  const data = { target_url: `https://example.com/${++made}`, subscriptions }
  return (await service.request('POST', '/v2/webhooks', { data })).body.data.id.webhook_id
}

async function happen(...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    const event = { event_type: 'list.created', id: { list_id: String(number) } } as const
    await appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: service.appContext.now() }, [
      event,
    ])
  }
  await publish()
}

/** Sends all due deliveries, and returns the requests. */
async function work(status: number): Promise<OutgoingRequest[]> {
  const sent: OutgoingRequest[] = []
  const send = async (request: OutgoingRequest): Promise<AttemptResult> => {
    sent.push(request)
    return { status, headers: { 'x-a': 'b' }, body: 'told', problem: undefined, duration: 3, address: '127.0.0.1' }
  }
  const worker = runDeliveryWorker({
    db: service.db,
    now: service.appContext.now,
    name: crypto.randomUUID(),
    sending: { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 },
    pollMs: 3_600_000,
    lingerMs: 0,
  })
  await worker.settled()
  await worker.stop()
  return sent
}

const get = async (path: string) => {
  const { status, body } = await service.request('GET', path)
  expect([path, status]).toEqual([path, 200])
  return body
}

describe('GET /v2/webhooks/{webhook_id}/deliveries', () => {
  test('200 with the newest first, in pages, filtered by status, kind and text', async () => {
    const path = `/v2/webhooks/${await webhook()}/deliveries`
    await happen(1, 2)
    await work(200)
    await happen(3)
    await work(500)
    const { data, pagination } = await get(path)
    expect(pagination.next_cursor).toBeNull()
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['waiting', 'succeeded', 'succeeded'])
    expect(data[0].attempts).toEqual([
      { number: 1, at: expect.any(String), duration_ms: 3, status_code: 500, error: null },
    ])
    expect(data[0].next_attempt_at).not.toBeNull()
    const first = await get(`${path}?limit=2`)
    const rest = await get(`${path}?limit=2&cursor=${first.pagination.next_cursor}`)
    expect([...first.data, ...rest.data]).toEqual(data)
    expect(rest.pagination.next_cursor).toBeNull()
    expect((await get(`${path}?limit=1&before=${data[0].delivery_id}`)).data).toEqual([data[1]])
    expect((await get(`${path}?status=waiting`)).data).toEqual([data[0]])
    expect((await get(`${path}?event_type=list.deleted`)).data).toEqual([])
    expect((await get(`${path}?search=${encodeURIComponent('"list_id":"2"')}`)).data).toEqual([data[1]])
  })

  test('400 for a cursor of another list and for an unknown status; 404 for a webhook of another workspace', async () => {
    const path = `/v2/webhooks/${await webhook()}/deliveries`
    for (const query of ['?cursor=x', '?status=lost', '?event_type=x', '?limit=0', '?record_id=x']) {
      expect((await service.request('GET', `${path}${query}`)).status).toBe(400)
    }
    const key = await service.keyWith(['webhook:read'])
    expect((await service.request('GET', path, undefined, { key })).status).toBe(404)
  })
})

describe('GET /v2/webhooks/{webhook_id}/deliveries/{delivery_id}', () => {
  test('200 with requests and responses, never with the secret', async () => {
    const created = await service.request('POST', '/v2/webhooks', {
      data: { target_url: 'https://example.com/whole', subscriptions: [{ event_type: 'list.created', filter: null }] },
    })
    const { secret, id } = created.body.data
    const path = `/v2/webhooks/${id.webhook_id}/deliveries`
    await happen(1)
    const [sent] = (await work(200)).filter(({ target }) => target.endsWith('whole'))
    const [{ delivery_id }] = (await get(path)).data
    const { data } = await get(`${path}/${delivery_id}`)
    expect(data.body).toBe(sent?.body)
    expect(data.target_url).toBe('https://example.com/whole')
    expect(data.attempts).toEqual([
      expect.objectContaining({
        request_headers: sent?.headers,
        response_headers: { 'x-a': 'b' },
        response_body: 'told',
        address: '127.0.0.1',
      }),
    ])
    expect(JSON.stringify(data)).not.toContain(secret)
  })

  test('404 for a delivery of another webhook, 400 for an id that is not a UUID', async () => {
    const one = await webhook()
    const other = await webhook()
    await happen(1)
    const [{ delivery_id }] = (await get(`/v2/webhooks/${one}/deliveries`)).data
    expect((await service.request('GET', `/v2/webhooks/${other}/deliveries/${delivery_id}`)).status).toBe(404)
    expect((await service.request('GET', `/v2/webhooks/${one}/deliveries/first`)).status).toBe(400)
  })
})

describe('sending again', () => {
  test('200 sends a delivery with the same body and key', async () => {
    const id = await webhook()
    await happen(1)
    const [first] = (await work(200)).filter(({ body }) => body.includes(id))
    const [{ delivery_id }] = (await get(`/v2/webhooks/${id}/deliveries`)).data
    const { status, body } = await service.request('POST', `/v2/webhooks/${id}/deliveries/${delivery_id}/redeliver`)
    expect([status, body.data.status]).toEqual([200, 'waiting'])
    const [again] = await work(200)
    expect(again?.body).toBe(first?.body ?? '')
    expect(again?.headers['Idempotency-Key']).toBe(first?.headers['Idempotency-Key'] ?? '')
    const [delivery] = (await get(`/v2/webhooks/${id}/deliveries`)).data
    expect([delivery.status, delivery.attempts.length]).toEqual(['succeeded', 2])
  })

  test('404 for an unknown delivery', async () => {
    const path = `/v2/webhooks/${await webhook()}/deliveries/${crypto.randomUUID()}/redeliver`
    expect((await service.request('POST', path)).status).toBe(404)
  })

  test('200 for a replay of the failed deliveries since a time, or of all deliveries', async () => {
    const id = await webhook()
    await happen(1)
    await work(410)
    await happen(2)
    await work(200)
    const deliveries = (await get(`/v2/webhooks/${id}/deliveries`)).data
    const from = deliveries.at(-1).created_at
    const replayed = async (data: object) => {
      const { status, body } = await service.request('POST', `/v2/webhooks/${id}/replay`, { data })
      expect(status).toBe(200)
      const sent = (await work(410)).filter(({ body: text }) => text.includes(id)).length
      return [body.data.redelivered, sent]
    }
    expect(await replayed({ from })).toEqual([1, 1])
    expect(await replayed({ from, to: from })).toEqual([0, 0])
    expect(await replayed({ from, status: 'any' })).toEqual([2, 2])
    expect((await service.request('POST', `/v2/webhooks/${id}/replay`, { data: {} })).status).toBe(400)
  })
})

describe('GET /v2/webhooks/{webhook_id}/statistics', () => {
  test('200 with success and latency, in total and by hour', async () => {
    const id = await webhook()
    const path = `/v2/webhooks/${id}/statistics`
    const none = { attempts: 0, succeeded: 0, median_duration_ms: null, p95_duration_ms: null }
    expect((await get(path)).data).toEqual({ since: expect.any(String), ...none, hours: [] })
    await happen(1, 2)
    await work(200)
    await happen(3)
    await work(410)
    const figures = { attempts: 3, succeeded: 2, median_duration_ms: 3, p95_duration_ms: 3 }
    const { data } = await get(path)
    expect(data).toMatchObject(figures)
    const sums = data.hours.map((hour: { attempts: number }) => hour.attempts)
    expect(sums.reduce((sum: number, attempts: number) => sum + attempts, 0)).toBe(3)
  })

  test('200 counts attempts of the last 24 hours, also of older deliveries, and no older attempts', async () => {
    const id = await webhook()
    const now = service.appContext.now()
    service.setNow(now - 30 * 3_600_000_000)
    await happen(4)
    await work(500)
    service.setNow()
    await work(200) // the retry, which has been due since
    await happen(5)
    await work(200)
    const { data } = await get(`/v2/webhooks/${id}/statistics`)
    expect([data.attempts, data.succeeded]).toEqual([2, 2])
  })

  test('404 for an unknown webhook', async () => {
    expect((await service.request('GET', `/v2/webhooks/${crypto.randomUUID()}/statistics`)).status).toBe(404)
  })
})

describe('POST /v2/webhooks/{webhook_id}/test', () => {
  test.each(WEBHOOK_EVENT_TYPES)('200 for %s, with every member of this event type', async (event_type) => {
    const id = await webhook()
    const { status, body } = await service.request('POST', `/v2/webhooks/${id}/test`, { data: { event_type } })
    expect([status, body.data.kind, body.data.event_type]).toEqual([200, 'test', event_type])
    const [sent] = await work(200)
    const [event] = JSON.parse(sent?.body ?? '').events
    const { id: ids, members } = EVENT_KINDS[event_type]
    expect(Object.keys(event.id)).toEqual(['workspace_id', ...ids])
    expect(Object.keys(event)).toEqual(['event_type', 'id', ...members, 'actor'])
    if ('object_id' in event.id && 'record_id' in event.id) expect(event.id.record_id).toBe(person)
  })

  test('200 sends an edited event unchanged', async () => {
    const id = await webhook()
    const event = { event_type: 'list.created', id: { list_id: 'mine' }, more: [1, { a: null }] }
    await service.request('POST', `/v2/webhooks/${id}/test`, { data: { event_type: 'list.created', event } })
    const [sent] = await work(200)
    expect(JSON.parse(sent?.body ?? '')).toEqual({ webhook_id: id, events: [event] })
  })

  test('400 for an unknown event type', async () => {
    const path = `/v2/webhooks/${await webhook()}/test`
    expect((await service.request('POST', path, { data: { event_type: 'meeting.created' } })).status).toBe(400)
  })
})

test('deleting a webhook drops its pending deliveries', async () => {
  const id = await webhook()
  await happen(1)
  await service.request('DELETE', `/v2/webhooks/${id}`)
  expect((await work(200)).filter(({ body }) => body.includes(id))).toEqual([])
  const [row] = await service.db.sql`select status from relata.deliveries where webhook_id = ${id}`
  expect(row?.status).toBe('dropped')
})
