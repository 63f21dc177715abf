/**
 * Properties of every response: error body, headers, malformed requests, sizes.
 * See docs/reference/errors-and-limits.md (The error body, Malformed requests, Sizes, Headers).
 */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { expectRefusal } from '../../support/fixtures/value-cases'

const service = forThisFile(() => startService())

const RECORDS = '/v2/objects/people/records'
const EMPTY = { data: { values: {} } }

describe('malformed bodies', () => {
  const MALFORMED = [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '5',
    '{"data":}',
    '{"data":{"values":{"description":"\\u0000"}}}',
    '{"data":{"values":{"description":"\\ud800"}}}',
  ]
  test.each(MALFORMED)('400 for %j', async (text) => {
    const answer = await service().request('POST', RECORDS, text)
    expectRefusal(answer, 400, 'validation_type')
  })

  test('400 for bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"data":{"values":{"description":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}}'),
    ])
    expectRefusal(await service().request('POST', RECORDS, new Uint8Array(bytes)), 400, 'validation_type')
  })

  test('200 for a repeated member, of which the last one counts', async () => {
    const body = '{"data":{"values":{"description":"one","description":"two"}}}'
    expect((await service().request('POST', RECORDS, body)).body.data.values.description[0].value).toBe('two')
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
  ])('200 as %j', async (type) => {
    const headers = new Headers({ Authorization: `Bearer ${service().key}` })
    if (type !== '') headers.set('Content-Type', type)
    const response = await fetch(service().url + RECORDS, {
      method: 'POST',
      headers,
      body: new TextEncoder().encode(JSON.stringify(EMPTY)),
    })
    expect(response.status).toBe(200)
  })

  test('415 as multipart/form-data, which only uploads use', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    expectRefusal(await service().request('POST', RECORDS, EMPTY, { headers }), 415, 'validation_type')
  })

  test('200 with unknown members and parameters, which are ignored', async () => {
    const body = { data: { values: {}, other: 1 }, other: { data: 1 } }
    expect((await service().request('POST', `${RECORDS}?other=1`, body)).status).toBe(200)
  })
})

describe('sizes', () => {
  test('413 for a body above 25 MB', async () => {
    const text = JSON.stringify({ data: { values: { description: 'x'.repeat(25 * 1024 * 1024 + 1) } } })
    expectRefusal(await service().request('POST', RECORDS, text), 413, 'validation_type')
  })

  test('414 for a URL above 16 KiB', async () => {
    expectRefusal(await service().request('GET', `/v2/objects?x=${'y'.repeat(17_000)}`), 414, 'validation_type')
  })
})

describe('paths', () => {
  test.each([
    ['GET', '/v2/nothing'],
    ['GET', RECORDS],
    ['DELETE', '/v2/objects'],
    ['PATCH', RECORDS],
    ['POST', '/v2/self'],
    ['GET', '/v2'],
  ])('404 for %s %s, naming method and path', async (method, path) => {
    const answer = await service().request(method, path, method === 'GET' || method === 'DELETE' ? undefined : EMPTY)
    expectRefusal(answer, 404, 'not_found', [`Could not find endpoint "${method} ${path}".`])
  })

  test('200 with a trailing slash', async () => {
    expect((await service().request('GET', '/v2/objects/')).status).toBe(200)
  })

  test('404 naming the closest object', async () => {
    const answer = await service().request('GET', '/v2/objects/peple')
    expectRefusal(answer, 404, 'not_found', ['Object with slug/ID "peple" not found'])
    expect(answer.body.did_you_mean).toBe('people')
  })
})

describe('authentication', () => {
  test.each([
    [null, 'Authorization header was not provided'],
    ['short', 'length'],
    ['0'.repeat(64), ''],
  ])('401 with %j', async (key, says) => {
    const answer = await service().request('GET', '/v2/objects', undefined, { key })
    expectRefusal(answer, 401, 'unauthorized', [says])
    expect(answer.body.type).toBe('auth_error')
    expect(answer.headers.get('www-authenticate')).toStartWith('Bearer')
  })

  test('401 comes before errors of the body and of the path', async () => {
    expectRefusal(
      await service().request('POST', '/v2/objects/nothing/records', '{', { key: null }),
      401,
      'unauthorized',
    )
  })

  test('401 for a key in the URL', async () => {
    const { request, key } = service()
    expectRefusal(
      await request('GET', `/v2/objects?access_token=${key}`, undefined, { key: null }),
      401,
      'unauthorized',
    )
  })
})

describe('headers', () => {
  const EXPECTED: Readonly<Record<string, string>> = {
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
    'x-frame-options': 'DENY',
    'strict-transport-security': 'max-age=7776000; includeSubDomains; preload',
    'cache-control': 'no-store',
  }
  const REQUESTS = [
    ['GET', '/v2/objects', undefined, {}],
    ['POST', RECORDS, EMPTY, {}],
    ['POST', RECORDS, '{', {}],
    ['GET', '/v2/nothing', undefined, {}],
    ['GET', '/v2/objects', undefined, { key: null }],
  ] as const
  test.each(REQUESTS)('%s %s %j %j', async (method, path, body, options) => {
    const { headers } = await service().request(method, path, body, options)
    for (const [name, value] of Object.entries(EXPECTED)) expect(headers.get(name)).toBe(value)
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('x-relata-execution-id')).toBe(headers.get('x-request-id') ?? '')
    for (const name of ['Origin', 'Accept-Encoding']) expect(headers.get('vary')).toContain(name)
    expect(headers.get('access-control-expose-headers')).toContain('x-relata-execution-id')
  })

  test('204 for a preflight, without a key', async () => {
    const response = await fetch(service().url + RECORDS, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.relata.dev', 'Access-Control-Request-Method': 'POST' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization')
    expect(response.headers.get('access-control-max-age')).toBe('7200')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each(['gzip', 'br', 'zstd', 'identity'])('the response is the same with encoding %s', async (encoding) => {
    const { request } = service()
    const plain = await request('GET', '/v2/objects/companies/attributes')
    const encoded = await request('GET', '/v2/objects/companies/attributes', undefined, {
      headers: { 'Accept-Encoding': encoding },
    })
    expect(encoded.body).toEqual(plain.body)
    expect(encoded.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
  })
})
