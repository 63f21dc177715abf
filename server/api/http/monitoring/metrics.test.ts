import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testService, type TestService } from '#testing/service'
import { renderFamilies } from '#base/monitoring/metric-families'
import { createApp } from '../../../app'
import { createMetrics } from './metrics'

describe('the text format', () => {
  test('counts requests by operation and status, and sums their durations', () => {
    const metrics = createMetrics()
    metrics.countRequest('getRecord', 200, 0.002)
    metrics.countRequest('getRecord', 200, 0.3)
    metrics.countRequest('getRecord', 404, 60)
    const lines = renderFamilies(metrics.families()).split('\n')
    expect(lines).toContainValues([
      '# TYPE relata_requests_total counter',
      'relata_requests_total{operation="getRecord",status="200"} 2',
      'relata_requests_total{operation="getRecord",status="404"} 1',
      'relata_request_seconds_bucket{operation="getRecord",le="0.001"} 0',
      'relata_request_seconds_bucket{operation="getRecord",le="0.0025"} 1',
      'relata_request_seconds_bucket{operation="getRecord",le="0.5"} 2',
      'relata_request_seconds_bucket{operation="getRecord",le="10"} 2',
      'relata_request_seconds_bucket{operation="getRecord",le="+Inf"} 3',
      'relata_request_seconds_sum{operation="getRecord"} 60.302',
      'relata_request_seconds_count{operation="getRecord"} 3',
    ])
    expect(renderFamilies(metrics.families())).toEndWith('\n')
  })

  test('every line is a comment or a name with labels and a number', () => {
    const metrics = createMetrics()
    metrics.countRequest('listObjects', 200, 0.01)
    for (const line of renderFamilies(metrics.families()).trimEnd().split('\n')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)+\})? -?[\d.]+)$/)
    }
  })
})

describe('docs/monitoring', () => {
  const folder = join(import.meta.dir, '../../../../docs/monitoring')
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const reads = { replica: 3, own_write: 2, not_used: 1, failed: 0 }
  const replica = () => ({ status: 'behind', lagSeconds: 7.5, reads }) as const
  const metrics = createMetrics({ droppedSpans: () => 0, replica })
  metrics.setBackups({ last: undefined, failures: 0, failuresInARow: 0, since: 0, isOverdue: false })
  const served = metrics.families().map(({ name }) => name)
  const namedIn = (text: string) => [
    ...new Set(
      [...text.matchAll(/\b(?:relata|process)_[a-z_]+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, '')),
    ),
  ]

  test('the state of the replica', () => {
    expect(renderFamilies(metrics.families()).split('\n')).toContainValues([
      'relata_replica_used 0',
      'relata_replica_status{status="used"} 0',
      'relata_replica_status{status="behind"} 1',
      'relata_replica_status{status="unreachable"} 0',
      'relata_replica_lag_seconds 7.5',
      'relata_replica_reads_total{outcome="own_write"} 2',
    ])
  })

  test('the page has all metrics', () => {
    const rows = [...read('README.md').matchAll(/^\| `((?:relata|process)_\w+)` /gm)].map(([, name]) => name)
    expect(rows).toEqual(served)
  })

  test('the dashboard names only metrics that there are', () => {
    const names = namedIn(read('dashboard.json'))
    expect(names.filter((name) => !served.includes(name))).toEqual([])
    expect(names.length).toBeGreaterThan(15)
  })

  test('each alert names metrics that there are, and stands on the page', () => {
    const { groups } = Bun.YAML.parse(read('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] } // as Prometheus reads it
    const rules = groups.flatMap(({ rules }) => rules)
    const unknown = rules.flatMap(({ expr }) => namedIn(expr).filter((name) => !served.includes(name)))
    expect([rules.every(({ expr }) => namedIn(expr).length > 0), unknown]).toEqual([true, []])
    const documented = [...read('README.md').matchAll(/^\| `(Relata\w+)` /gm)].map(([, name]) => name)
    expect(documented).toEqual(rules.map(({ alert }) => alert))
  })
})

describe('/metrics', () => {
  let withMetrics: TestService
  let other: TestService
  beforeAll(async () => {
    withMetrics = await testService({}, () => ({ metrics: createMetrics() }))
    other = await testService()
  })
  afterAll(() => Promise.all([withMetrics.close(), other.close()]))

  test('200 without a token, with the answered requests', async () => {
    await withMetrics.request('GET', '/v2/objects')
    await withMetrics.request('GET', '/v2/objects', undefined, { key: null })
    const { status, body, headers } = await withMetrics.request('GET', '/metrics', undefined, { key: null })
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(body).toContain('relata_requests_total{operation="listObjects",status="200"} 1\n')
    expect(body).toContain('relata_requests_total{operation="listObjects",status="401"} 1\n')
  })

  test('404 when metrics are off, and when they are only sent', async () => {
    expect((await other.request('GET', '/metrics', undefined, { key: null })).status).toBe(404)
    const app = createApp({ ...other.appContext, metrics: createMetrics({ isServed: false }) })
    expect((await app.handle(new Request('http://localhost/metrics'))).status).toBe(404)
  })
})
