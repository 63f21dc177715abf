import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testService, type TestService } from '#testing/service'
import { createMetrics } from './metrics'

describe('the text format', () => {
  test('counts requests by operation and status, and sums their durations', () => {
    const metrics = createMetrics()
    metrics.countRequest('getRecord', 200, 0.002)
    metrics.countRequest('getRecord', 200, 0.3)
    metrics.countRequest('getRecord', 404, 60)
    const lines = metrics.render().split('\n')
    expect(lines).toContainValues([
      '# TYPE relata_requests_total counter',
      'relata_requests_total{operation="getRecord",status="200"} 2',
      'relata_requests_total{operation="getRecord",status="404"} 1',
      'relata_request_seconds_bucket{operation="getRecord",le="0.001"} 0',
      'relata_request_seconds_bucket{operation="getRecord",le="0.0025"} 1',
      'relata_request_seconds_bucket{operation="getRecord",le="0.5"} 2',
      'relata_request_seconds_bucket{operation="getRecord",le="10"} 2',
      'relata_request_seconds_bucket{operation="getRecord",le="+Inf"} 3',
      'relata_request_seconds_sum{operation="getRecord"} 60.302000',
      'relata_request_seconds_count{operation="getRecord"} 3',
    ])
    expect(metrics.render()).toEndWith('\n')
  })

  test('every line is a comment or a name with labels and a number', () => {
    const metrics = createMetrics()
    metrics.countRequest('listObjects', 200, 0.01)
    for (const line of metrics.render().trimEnd().split('\n')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)+\})? -?[\d.]+)$/)
    }
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

  test('404 when metrics are off', async () => {
    expect((await other.request('GET', '/metrics', undefined, { key: null })).status).toBe(404)
  })
})
