/** The request log, slow statements, and one trace from a request to the receiver of a webhook. See docs/monitoring/README.md. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { setLogLevel } from '#base/logging/log-error'
import { createOtlpClient } from '#base/monitoring/otlp'
import { createStatementMonitor } from '#base/monitoring/statement-monitor'
import { createTracer, type Tracer } from '#base/monitoring/tracer'
import { measureStatements } from '#db/driver/measure-statements'
import { runEventPipeline, type EventPipeline } from '#events/webhooks/event-pipeline'
import type { OutgoingRequest, Send } from '#events/webhooks/send/send-request'
import { captureLog } from '#testing/captured-log'
import { createClient, type Client } from '#testing/client'
import { attributeOf, type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '#testing/otlp-receiver'
import { signedIn } from '#testing/people'
import { testService, type TestService } from '#testing/service'
import { until } from '#testing/until'
import { createApp } from '../../../app'
import type { RequestMonitor } from './observe-requests'

const SECRET = 'Countess of Lovelace'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'vendor=of-the-caller' }

const LOG: RequestMonitor = { logsRequests: true, logsStatements: false, tracer: undefined }

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const clientOf = (monitor: RequestMonitor, events?: EventPipeline): Client =>
  createClient(createApp({ ...service.appContext, monitor, ...(events !== undefined && { events }) }), service.key)

const person = (name: string) => ({
  data: { values: { name, email_addresses: [`${crypto.randomUUID()}@example.com`] } },
})

describe('the request log', () => {
  let lines: string[] = []
  let output: ReturnType<typeof spyOn<Console, 'log'>>
  beforeEach(() => {
    lines = []
    output = spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  })
  afterEach(() => {
    output.mockRestore()
    setLogLevel('info')
  })
  const request = (...args: Parameters<Client>) => clientOf(LOG)(...args)
  const logged = () => lines.map((line) => JSON.parse(line))

  test('has a line for each request, with the pattern of its path, the workspace and the key', async () => {
    const { body, headers } = await request('POST', '/v2/objects/people/records', person(SECRET))
    expect(logged()).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        message: 'A request was answered.',
        method: 'POST',
        route: '/v2/objects/:object/records',
        status: 200,
        ms: expect.any(Number),
        workspace_id: service.workspaceId,
        key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        request_id: headers.get('x-request-id'),
      },
    ])
    await request('GET', `/v2/objects/people/records/${body.data.id.record_id}?secret=${encodeURIComponent(SECRET)}`)
    expect(logged()[1]).toMatchObject({ method: 'GET', route: '/v2/objects/:object/records/:record_id', status: 200 })
    expect(lines.join()).not.toContain(body.data.id.record_id)
    expect(lines.join()).not.toMatch(/Lovelace|secret/)
  })

  test('has refused requests, and no path that is unknown', async () => {
    await request('GET', '/v2/self', undefined, { key: null })
    await request('GET', `/v2/objects/people/records/${crypto.randomUUID()}`)
    await request('GET', '/v2/nothing/secret')
    await request('OPTIONS', '/v2/self')
    expect(logged().map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v2/self', 400],
      ['GET', '/v2/objects/:object/records/:record_id', 404],
      ['GET', null, 404],
      ['OPTIONS', null, 204],
    ])
    expect(lines.join()).not.toContain('secret')
  })

  test('names the route of the API for a request of the console, once, without a key', async () => {
    const admin = await signedIn({ ...service, app: createApp({ ...service.appContext, monitor: LOG }) })
    lines = []
    await admin.ask('GET', '/console/v2/objects/people')
    expect(logged()).toMatchObject([{ route: '/v2/objects/:object', workspace_id: service.workspaceId, status: 200 }])
    expect(logged()[0]).not.toHaveProperty('key_id')
  })

  test('has requests that arrive over a connection, each once', async () => {
    const app = createApp({ ...service.appContext, monitor: LOG })
    app.listen({ port: 0, hostname: '127.0.0.1' })
    const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${app.server?.port}${path}`, init)
    const headers = { Authorization: `Bearer ${service.key}` }
    for (const response of [
      await ask('/v2/objects/people', { headers }),
      await ask('/v2/objects/people', { method: 'HEAD', headers }),
      await ask('/v2/objects/secret', { headers }),
      await ask('/nothing/secret'),
    ])
      await response.arrayBuffer()
    await app.stop(true)
    expect(logged().map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v2/objects/:object', 200],
      ['HEAD', '/v2/objects/:object', 200],
      ['GET', '/v2/objects/:object', 404],
      ['GET', null, 404],
    ])
    expect(lines.join()).not.toContain('secret')
  })

  test('has no probes, and nothing below its level', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await request('GET', path, undefined, { key: null })
    setLogLevel('warning')
    await request('GET', '/v2/self')
    expect(lines).toEqual([])
  })
})

describe('slow statements', () => {
  const request = (...args: Parameters<Client>) =>
    clientOf({ logsRequests: false, logsStatements: true, tracer: undefined })(...args)
  /** Runs the work while each statement counts as slow, and returns the lines. */
  async function slowLines(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const lines: string[] = []
    measureStatements(service.db.sql, createStatementMonitor({ slowMs: 0 }))
    await captureLog(work, lines)
    measureStatements(service.db.sql, undefined)
    return lines.map((line) => JSON.parse(line))
  }

  test('are logged with their text, without values, and with the route', async () => {
    const lines = await slowLines(() => request('POST', '/v2/objects/people/records', person(SECRET)))
    const insert = lines.find(({ statement }) => String(statement).includes('insert into'))
    expect(insert).toMatchObject({
      level: 'warning',
      message: 'A statement was slow.',
      route: '/v2/objects/:object/records',
      workspace_id: service.workspaceId,
      statement: expect.stringContaining('$1'),
    })
    expect(JSON.stringify(lines)).not.toMatch(/Lovelace|@example/)
  })

  test('of callers are logged without their text', async () => {
    const lines = await slowLines(() => request('POST', '/v2/sql', { sql: `select '${SECRET}' as "a secret"` }))
    expect(lines.map(({ statement }) => statement)).toContain('SQL of a caller')
    expect(JSON.stringify(lines)).not.toMatch(/Lovelace|a secret/)
  })

  test('of a role have no password', async () => {
    const other = await service.anotherWorkspace()
    const lines = await slowLines(() => request('POST', '/v2/sql', { sql: 'select 1' }, { key: other.key }))
    const create = lines.find(({ statement }) => String(statement).includes('create role'))
    expect(create?.statement).toContain('password ?')
    expect(JSON.stringify(lines)).not.toContain('SCRAM')
  })
})

describe('a trace', () => {
  let receiver: OtlpReceiver
  let tracer: Tracer
  let events: EventPipeline
  let request: Client
  let sent: OutgoingRequest[] = []
  let status = 200
  let webhookId: string

  const send: Send = async (outgoing) => {
    sent.push(outgoing)
    return { status, headers: {}, body: '', problem: undefined, duration: 1, address: undefined }
  }
  beforeAll(async () => {
    // Publishes what the tests before wrote.
    await service.events()
    receiver = startOtlpReceiver()
    const client = createOtlpClient({ endpoint: receiver.url, headers: {}, resource: { 'service.name': 'relata' } })
    tracer = createTracer(client, { sampler: 'parentbased_always_off', ratio: 1 })
    const { db, now } = service.appContext
    const sending = { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 }
    events = await runEventPipeline({ db, now, sending, days: 30, tracer })
    measureStatements(db.sql, createStatementMonitor({ tracer }))
    request = clientOf({ logsRequests: false, logsStatements: false, tracer }, events)
    const data = {
      target_url: 'https://example.com/secret-path',
      subscriptions: [{ event_type: 'record.created', filter: null }],
    }
    webhookId = (await request('POST', '/v2/webhooks', { data })).body.data.id.webhook_id
  })
  beforeEach(() => {
    sent = []
    status = 200
  })
  afterAll(async () => {
    measureStatements(service.db.sql, undefined)
    await events.stop()
    await tracer.stop()
    await receiver.close()
  })

  const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId)
  const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name)

  test('goes from the request of a caller over statements, outbox and publication to the receiver of a webhook', async () => {
    await request('POST', '/v2/objects/people/records', person(SECRET), { headers: CALLER })
    await until(() => sent.length === 1)
    await until(() => named(spansOf(TRACE), 'delivery').length === 1)
    const spans = spansOf(TRACE)
    const [root] = named(spans, 'POST /v2/objects/:object/records')
    const [outbox, publish, delivery] = ['outbox', 'publish', 'delivery'].map((name) => named(spans, name)[0])
    expect(root?.parentSpanId).toBe('b7ad6b7169203331')
    const statements = spans.filter((span) => attributeOf(span, 'db.system.name') === 'postgresql')
    expect(statements.length).toBeGreaterThan(0)
    const outboxWrites = statements.filter((span) =>
      String(attributeOf(span, 'db.query.text')).includes('outbox_insert'),
    )
    expect(outboxWrites).toHaveLength(1)
    for (const span of [...statements, outbox, publish]) expect(span?.parentSpanId).toBe(root?.spanId)
    expect(delivery?.parentSpanId).toBe(publish?.spanId)
    expect(attributeOf(root as ReceivedSpan, 'relata.workspace_id')).toBe(service.workspaceId)
    expect(attributeOf(delivery as ReceivedSpan, 'relata.webhook_id')).toBe(webhookId)
    const [outgoing] = sent
    expect(outgoing?.headers.traceparent).toBe(`00-${TRACE}-${delivery?.spanId}-01`)
    const order = [root, outbox, publish, delivery].map((span) => Number(span?.startTimeUnixNano))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  test('has no values, and the receiver of the webhook no tracestate of the caller', async () => {
    const text = receiver.requests.map((each) => each.text).join()
    expect(text).not.toMatch(/Lovelace|@example|secret-path|of-the-caller/)
    await request('POST', '/v2/objects/people/records', person(SECRET), { headers: CALLER })
    await until(() => sent.length === 1)
    expect(JSON.stringify(sent[0]?.headers)).not.toContain('of-the-caller')
    expect(sent[0]?.body).not.toContain(TRACE)
  })

  test('stays with a delivery that another process sends, and with its retries', async () => {
    status = 500
    await request('POST', '/v2/objects/people/records', person('Retried'), { headers: CALLER })
    await until(() => sent.length === 1)
    const [row] = await service.db.sql<{ traceparent: string }[]>`
      select traceparent from relata.deliveries where webhook_id = ${webhookId} order by created_at desc limit 1`
    expect(row?.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    await until(
      async () =>
        (await service.db.sql`select from relata.deliveries where attempts = 1 and due_at is not null`).length === 1,
    )
    status = 200
    await service.db.sql`update relata.deliveries set due_at = now() where due_at is not null`
    await service.db.sql`update relata.webhooks set due_at = now()`
    events.rereadDeliveries()
    await until(() => sent.length === 2)
    expect(sent[1]?.headers.traceparent).toStartWith(`00-${TRACE}-`)
    expect(sent[1]?.headers.traceparent).not.toBe(sent[0]?.headers.traceparent)
  })

  test('that the caller does not sample is passed on and not exported', async () => {
    const other = 'a'.repeat(32)
    const headers = { traceparent: `00-${other}-b7ad6b7169203331-00` }
    await request('POST', '/v2/objects/people/records', person('Unsampled'), { headers })
    await until(() => sent.length === 1)
    expect(sent[0]?.headers.traceparent).toMatch(new RegExp(`^00-${other}-[0-9a-f]{16}-00$`))
    expect(spansOf(other)).toEqual([])
  })

  test('that the sampler leaves out costs a delivery nothing, and an invalid header is ignored', async () => {
    for (const headers of [undefined, { traceparent: '00-secret' }])
      await request('POST', '/v2/objects/people/records', person('Untraced'), headers && { headers })
    await until(() => sent.length === 2)
    for (const outgoing of sent) expect(outgoing.headers).not.toHaveProperty('traceparent')
    const rows = await service.db.sql`select from relata.outbox where events::text like '%traceparent%'`
    expect(rows).toHaveLength(0)
  })

  test('is not in the feed', async () => {
    const { body } = await request('GET', '/v2/events?limit=100')
    expect(JSON.stringify(body)).not.toContain('traceparent')
  })

  test('has the statements of its own write, when writes arrive together', async () => {
    const traces = ['b', 'c', 'd', 'e'].map((digit) => digit.repeat(32))
    await Promise.all(
      traces.map((traceId) =>
        request('POST', '/v2/objects/people/records', person('Together'), {
          headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
        }),
      ),
    )
    await until(() => sent.length === traces.length)
    expect(sent.map(({ headers }) => headers.traceparent?.slice(3, 35)).toSorted()).toEqual(traces)
    await until(() => traces.every((traceId) => named(spansOf(traceId), 'delivery').length === 1))
    for (const traceId of traces) {
      const writes = spansOf(traceId).filter((span) =>
        String(attributeOf(span, 'db.query.text')).includes('outbox_insert'),
      )
      expect(writes).toHaveLength(1)
    }
  })
})
