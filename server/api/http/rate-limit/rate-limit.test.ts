import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRateLimiter } from './rate-limiter'
import { allOperations, isRead } from '#testing/operations'
import { testService, type TestService } from '#testing/service'

const PEOPLE = '/v2/objects/people/records'
/** 250 milliseconds after a whole second. */
const NOW = 1_800_000_003_250_000

let service: TestService
let unlimited: TestService
beforeAll(async () => {
  unlimited = await testService()
  service = await testService({}, (db, now) => ({
    limits: createRateLimiter(db, now, { read: 100, write: 25, merge: 5, recording: 1, sql: 5 }),
  }))
})
afterAll(() => Promise.all([service.close(), unlimited.close()]))

const limitOf = (headers: Headers) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`RateLimit-${name}`)?.toString() ?? null)

describe('a caller over its limit', () => {
  test('429 with the time from which a request may run, and no effect', async () => {
    service.setNow(NOW)
    const key = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    const create = (n: number) =>
      service.request('POST', PEOPLE, { data: { values: { email_addresses: [`p${n}@relata.dev`] } } }, { key })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => create(n)))
    const refused = answers.filter(({ status }) => status === 429)
    expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([25, 15])
    for (const { body, headers } of refused) {
      expect(body).toEqual({
        status_code: 429,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: 'Rate limit exceeded, please try again later.',
      })
      expect(headers.get('Retry-After')).toBe(new Date(1_800_000_004_000).toUTCString())
      expect(limitOf(headers)).toEqual(['25', '0', '1'])
    }
    const { body } = await service.request('POST', `${PEOPLE}/query`, {})
    expect(body.data).toHaveLength(25)

    // Reads have their own limit, and a write may run at the named time.
    expect((await service.request('GET', '/v2/objects', undefined, { key })).status).toBe(200)
    service.setNow(1_800_000_004_000_000)
    expect((await create(99)).status).toBe(200)
    service.setNow()
  })

  test('401, then 404 for the endpoint, then 429, then 403', async () => {
    service.setNow(NOW)
    const key = await service.keyWith([])
    const merge = (with_ = key) => service.request('POST', `${PEOPLE}/merge`, 'not json', { key: with_ })
    for (let n = 0; n < 5; n++) expect((await merge()).status).toBe(403)
    expect((await merge()).status).toBe(429)
    expect((await merge('f'.repeat(64))).status).toBe(401)
    expect((await service.request('POST', `${PEOPLE}/nowhere/else`, undefined, { key })).status).toBe(404)
    service.setNow()
  })

  test('429 also counts requests that get a stored response for their Idempotency-Key', async () => {
    service.setNow(NOW)
    const key = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    const headers = { 'Idempotency-Key': 'once' }
    const create = () => service.request('POST', PEOPLE, { data: { values: {} } }, { key, headers })
    for (let n = 0; n < 25; n++) expect((await create()).status).toBe(200)
    expect((await create()).status).toBe(429)
    service.setNow(NOW + 1_000_000)
    expect((await create()).headers.get('Idempotent-Replayed')).toBe('true')
    service.setNow()
  })
})

describe('RateLimit headers', () => {
  test('are in every response and count down for its kind of request', async () => {
    service.setNow(NOW + 10_000_000)
    const key = await service.keyWith([])
    for (const operation of await allOperations(service)) {
      const { headers, status } = await service.request(operation.method, operation.path, undefined, { key })
      if (status === 429) continue
      const own: Record<string, string> = { mergeRecords: '5', createCallRecording: '1' }
      const limit = own[operation.id] ?? (isRead(operation) ? '100' : '25')
      expect([operation.id, headers.get('RateLimit-Limit')]).toEqual([operation.id, limit])
    }
    service.setNow()
  })

  test('count down, and pages of other origins can read them', async () => {
    service.setNow(NOW + 20_000_000)
    const key = await service.keyWith(['object_configuration:read'])
    const first = await service.request('GET', '/v2/objects', undefined, { key })
    const second = await service.request('GET', '/v2/objects', undefined, { key })
    expect([limitOf(first.headers), limitOf(second.headers)]).toEqual([
      ['100', '99', '1'],
      ['100', '98', '1'],
    ])
    expect(first.headers.get('Access-Control-Expose-Headers')).toContain(
      'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Relata-Ignored, Retry-After',
    )
    service.setNow()
  })

  test('are absent without limits', async () => {
    const { headers } = await unlimited.request('GET', '/v2/objects')
    expect(limitOf(headers)).toEqual([null, null, null])
  })
})
