/** What is exported, and what a receiver that fails costs. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { captureLog } from '#testing/captured-log'
import { type OtlpReceiver, startOtlpReceiver } from '#testing/otlp-receiver'
import { createOtlpClient, renderMetrics } from './otlp'
import { counter, gauge, only } from './metric-families'
import { newSpanId, newTraceId, type Span } from './trace-context'
import { createTracer, type Sampling } from './tracer'

const ALL: Sampling = { sampler: 'always_on', ratio: 1 }
let receiver: OtlpReceiver
beforeEach(() => {
  receiver = startOtlpReceiver()
})
afterEach(() => receiver.close())

const clientOf = (options: { endpoint?: string; timeoutMs?: number } = {}) =>
  createOtlpClient({
    endpoint: receiver.url,
    headers: { authorization: 'Bearer secret' },
    resource: { 'service.name': 'test' },
    ...options,
  })

const span = (more: Partial<Span> = {}): Span => ({
  context: { traceId: newTraceId(), spanId: newSpanId(), isSampled: true },
  parentSpanId: undefined,
  name: 'GET /v2/self',
  kind: 'server',
  startedAt: 1_700_000_000_000.25,
  endedAt: 1_700_000_000_001.5,
  attributes: { 'http.response.status_code': 200, 'http.route': '/v2/self', absent: undefined },
  isError: false,
  ...more,
})

describe('spans', () => {
  test('are exported with times, attributes, headers and resource', async () => {
    const tracer = createTracer(clientOf(), ALL)
    tracer.record(span({ isError: true, parentSpanId: 'b7ad6b7169203331' }))
    await tracer.stop()
    const [request] = receiver.requests
    expect([request?.path, request?.headers.get('authorization'), request?.headers.get('content-type')]).toEqual([
      '/v1/traces',
      'Bearer secret',
      'application/json',
    ])
    expect(JSON.parse(request?.text ?? '').resourceSpans[0].resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'test' } },
    ])
    const [received] = receiver.spans
    expect(received).toMatchObject({
      name: 'GET /v2/self',
      kind: 2,
      parentSpanId: 'b7ad6b7169203331',
      startTimeUnixNano: '1700000000000250000',
      endTimeUnixNano: '1700000000001500000',
      status: { code: 2 },
      attributes: [
        { key: 'http.response.status_code', value: { intValue: '200' } },
        { key: 'http.route', value: { stringValue: '/v2/self' } },
      ],
    })
  })

  test('that are not sampled are not exported', async () => {
    const tracer = createTracer(clientOf(), ALL)
    tracer.record(span({ context: { traceId: newTraceId(), spanId: newSpanId(), isSampled: false } }))
    await tracer.stop()
    expect([receiver.requests.length, tracer.dropped()]).toEqual([0, 0])
  })
})

describe('sampling', () => {
  const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const UNSAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

  test.each([
    ['always_on', undefined, true, true],
    ['always_off', undefined, false, false],
    ['traceidratio', 0, false, false],
    ['traceidratio', 1, true, true],
    ['parentbased_always_on', undefined, true, false],
    ['parentbased_always_off', undefined, true, false],
    ['parentbased_traceidratio', 0, true, false],
  ] as const)('%s %p of a caller that samples, and of one that does not', async (sampler, ratio, first, second) => {
    const tracer = createTracer(clientOf(), { sampler, ratio: ratio ?? 1 })
    expect(tracer.begin(SAMPLED)?.context.isSampled).toBe(first)
    expect(tracer.begin(UNSAMPLED)?.context.isSampled).toBe(second)
    await tracer.stop()
  })

  test('without a caller, a ratio samples about that share', async () => {
    const tracer = createTracer(clientOf(), { sampler: 'parentbased_traceidratio', ratio: 0.1 })
    const sampled = Array.from({ length: 10_000 }, () => tracer.begin(null)).filter((begun) => begun !== undefined)
    expect(sampled.length).toBeWithin(700, 1300) // ten standard deviations
    await tracer.stop()
  })

  test('the trace of the caller continues with a span of its own', async () => {
    const tracer = createTracer(clientOf(), ALL)
    const begun = tracer.begin(SAMPLED)
    expect([begun?.context.traceId, begun?.parentSpanId]).toEqual([SAMPLED.slice(3, 35), 'b7ad6b7169203331'])
    expect(begun?.context.spanId).not.toBe('b7ad6b7169203331')
    await tracer.stop()
  })
})

describe('a receiver', () => {
  /** Exports one span, and returns the number of lines in the log. */
  async function failWith(client: ReturnType<typeof clientOf>, lines: string[]): Promise<void> {
    const tracer = createTracer(client, ALL)
    tracer.record(span())
    await captureLog(() => tracer.stop(), lines)
    expect(tracer.dropped()).toBe(1)
  }

  test('that answers with an error, is away or redirects drops the spans, with one warning', async () => {
    const lines: string[] = []
    for (const status of [500, 429, 400, 302]) {
      receiver.respond = () => new Response(null, { status, headers: { location: receiver.url } })
      await failWith(clientOf(), lines)
    }
    await failWith(clientOf({ endpoint: 'http://127.0.0.1:1' }), lines)
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: 'warning',
        message: 'The receiver of OTLP takes no traces; they are dropped.',
      })
      expect(line).not.toContain('secret')
    }
  })

  test('that hangs is given up after a time', async () => {
    receiver.respond = () => new Promise(() => {})
    const lines: string[] = []
    await failWith(clientOf({ timeoutMs: 50 }), lines)
    expect(lines).toHaveLength(1)
  })

  test('that fails again and again is warned of once, for each signal, until it took something', async () => {
    const client = clientOf()
    const lines: string[] = []
    const send = () =>
      captureLog(async () => [await client.send('traces', () => ({})), await client.send('metrics', () => ({}))], lines)
    receiver.respond = (path) => new Response(null, { status: path === '/v1/metrics' ? 500 : 200 })
    for (let round = 0; round < 3; round++) expect(await send()).toEqual([true, false])
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      'The receiver of OTLP takes no metrics; they are dropped.',
    ])
    receiver.respond = () => new Response(null, { status: 500 })
    expect(await send()).toEqual([false, false])
    expect(lines).toHaveLength(2)
    receiver.respond = () => Response.json({})
    expect(await send()).toEqual([true, true])
    receiver.respond = () => new Response(null, { status: 500 })
    await send()
    expect(lines).toHaveLength(4)
  })

  test('gets the next spans after some that could not be rendered', async () => {
    const tracer = createTracer(clientOf(), ALL)
    const lines: string[] = []
    // JSON has no numbers of this type.
    const broken = { 'http.response.status_code': 1n as unknown as number }
    for (let count = 0; count < 512; count++) tracer.record(span({ attributes: count === 0 ? broken : {} }))
    await captureLog(async () => {
      tracer.record(span({ name: 'later' }))
      await tracer.stop()
    }, lines)
    expect([tracer.dropped(), receiver.spans.map(({ name }) => name), lines.length]).toEqual([512, ['later'], 1])
  })

  test('that hangs does not let the queue grow: what it has no room for is dropped', async () => {
    const released = Promise.withResolvers<Response>()
    receiver.respond = () => released.promise.then((response) => response.clone())
    const tracer = createTracer(clientOf(), ALL)
    for (let count = 0; count < 20_000; count++) tracer.record(span())
    const dropped = tracer.dropped()
    expect(dropped).toBeGreaterThan(10_000)
    released.resolve(Response.json({}))
    await tracer.stop()
    expect(receiver.spans.length + dropped).toBe(20_000)
  })
})

test('metrics are sums, gauges and histograms since the start of the process', () => {
  const families = [
    counter('a_total', 'A.', [{ labels: { kind: 'x' }, value: 3 }]),
    gauge('b', 'B.', only(1.5)),
    {
      name: 'c_seconds',
      help: 'C.',
      type: 'histogram' as const,
      bounds: [0.1, 1],
      samples: [{ labels: {}, counts: [2, 0, 1], sum: 5.2 }],
    },
  ]
  const { resourceMetrics } = renderMetrics({ 'service.name': 'test' }, families, { startedAt: 1, now: 2 })
  const times = { startTimeUnixNano: '1000000', timeUnixNano: '2000000' }
  const x = { attributes: [{ key: 'kind', value: { stringValue: 'x' } }] }
  expect(resourceMetrics[0]?.scopeMetrics[0]?.metrics).toEqual([
    {
      name: 'a_total',
      description: 'A.',
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...x, ...times, asDouble: 3 }] },
    },
    { name: 'b', description: 'B.', gauge: { dataPoints: [{ attributes: [], ...times, asDouble: 1.5 }] } },
    {
      name: 'c_seconds',
      description: 'C.',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          { attributes: [], ...times, count: '3', sum: 5.2, bucketCounts: ['2', '0', '1'], explicitBounds: [0.1, 1] },
        ],
      },
    },
  ])
})
