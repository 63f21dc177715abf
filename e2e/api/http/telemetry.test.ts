/** Traces, metrics and the log of a process, as its environment asks for them. See docs/monitoring/README.md. */

import { afterAll, beforeEach, expect, test } from 'bun:test'
import { startFixture } from '../webhooks/fixture'
import { answer, startReceiver } from '../webhooks/receivers'
import { until } from '../../support/until'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'vendor=secret' }

let requests: { readonly path: string; readonly headers: Headers; readonly text: string }[] = []
let respond = (): Response | Promise<Response> => Response.json({})
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const text = await request.text()
    requests.push({ path: new URL(request.url).pathname, headers: request.headers, text })
    return respond()
  },
})
afterAll(() => collector.stop(true))
beforeEach(() => {
  requests = []
  respond = () => Response.json({})
})

const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  RELATA_REQUEST_LOG: '1',
}
const textsOf = (path: string) => requests.filter((each) => each.path === path).map(({ text }) => text)

test('one trace goes from a request to the receiver of a webhook; metrics follow; the log has the request', async () => {
  const fixture = await startFixture(settings)
  const receiver = await startReceiver((socket) => answer(socket, 200))
  await fixture.webhook(`http://127.0.0.1:${receiver.port}/hook`, ['record.created'])
  const { status } = await fetch(`${fixture.running.url}/v2/objects/people/records`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${fixture.key}`, ...CALLER },
    body: JSON.stringify({ data: { values: { name: 'Lovelace, Ada' } } }),
  })
  expect(status).toBe(200)
  await until(() => receiver.received.length === 1)
  await until(() => textsOf('/v1/traces').join().includes('"delivery"'))
  const { headers } = receiver.received[0] ?? { headers: new Map() }
  expect(headers.get('traceparent')).toStartWith(`00-${TRACE}-`)
  expect(headers.has('tracestate')).toBe(false)
  const { output } = fixture.running
  receiver.close()
  expect(await fixture.close()).toBe(0)

  const traces = textsOf('/v1/traces').join()
  for (const part of [
    '"outbox"',
    '"publish"',
    'POST /v2/objects/:object/records',
    'deployment.environment.name',
    TRACE,
  ])
    expect(traces).toContain(part)
  expect(textsOf('/v1/metrics').join()).toContain('relata_worker_runs_total')
  expect(requests.every((each) => each.headers.get('authorization') === 'Bearer secret')).toBe(true)
  expect(requests.map(({ text }) => text).join()).not.toMatch(/Lovelace|vendor=secret/)
  const lines = output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  expect(lines.filter(({ trace_id }) => trace_id === TRACE)).toMatchObject([
    { level: 'info', method: 'POST', route: '/v2/objects/:object/records', status: 200 },
  ])
})

test('a receiver that hangs keeps neither requests nor the stop waiting, and is warned of at most once for each signal', async () => {
  respond = () => new Promise(() => {})
  const fixture = await startFixture({ ...settings, OTEL_TRACES_SAMPLER: 'always_on' })
  for (let count = 0; count < 600; count++) await fixture.request('GET', '/v2/self')
  await until(() => textsOf('/v1/traces').length > 0)
  await fixture.request('GET', '/v2/self')
  const { output } = fixture.running
  expect(await fixture.close()).toBe(0)
  const warnings = output()
    .split('\n')
    .filter((line) => line.includes('takes no'))
  expect(warnings.filter((line) => line.includes('traces')).length).toBeLessThanOrEqual(1)
  expect(warnings.filter((line) => line.includes('metrics')).length).toBeLessThanOrEqual(1)
  expect(output()).not.toContain('Bearer')
})

test('nothing is sent with OTEL_SDK_DISABLED', async () => {
  const fixture = await startFixture({ ...settings, OTEL_SDK_DISABLED: 'true', OTEL_TRACES_SAMPLER: 'always_on' })
  await fixture.request('GET', '/v2/self')
  expect(await fixture.close()).toBe(0)
  expect(requests).toEqual([])
})
