/** Every Host header gets a response of the contract. RFC 9112, 3.2. */

import { describe, expect, test } from 'bun:test'
import { breach } from '../../support/http/contract'
import { forThisFile } from '../../support/service/service-per-file'
import { requestText, sendRaw, type RawAnswer } from '../../support/http/raw-http'
import { startService } from '../../support/service/service'

const service = forThisFile(() => startService())

const PATHS = [
  '/v2/objects',
  '/v2/objects/people/attributes?limit=1',
  '/v2/nothing',
  '/healthz',
  '/openapi.json',
  '/docs',
  '/',
  '/objects/people',
  '/console/api/session',
  '/console/v2/objects',
  '/hooks/x',
]
const INVALID = [
  '',
  'a b',
  'a/b',
  'a?b',
  'a#b',
  'a\\b',
  'user@a',
  '[::1',
  'a:99999',
  'a:b',
  'ä',
  '<script>',
  'a, b',
  'x'.repeat(300),
]

const send = (path: string, headers: readonly string[], version?: string, method = 'GET'): Promise<RawAnswer> => {
  const { url, key } = service()
  return sendRaw(url, requestText(method, path, [...headers, `Authorization: Bearer ${key}`], version))
}

function expectInvalidHost({ status, headers, body }: RawAnswer): void {
  expect({ status, type: headers['content-type'] }).toEqual({ status: 400, type: 'application/json; charset=utf-8' })
  const envelope = JSON.parse(body)
  expect(breach('GET', '/', status, envelope)).toBeUndefined()
  expect(envelope).toMatchObject({ code: 'validation_type', message: expect.stringContaining('Host header') })
}

describe('400 with an error body', () => {
  test.each(INVALID)('for Host: %j', async (host) => {
    for (const path of PATHS) expectInvalidHost(await send(path, [`Host: ${host}`]))
  })

  test('for two Host headers', async () => {
    for (const path of PATHS) expectInvalidHost(await send(path, ['Host: a.example', 'Host: b.example']))
  })

  test('with the members of RFC 6749 at the endpoints of OAuth', async () => {
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
      const answer = await send(path, ['Host: a b', 'Content-Length: 0'], 'HTTP/1.1', 'POST')
      expectInvalidHost(answer)
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_request', error_description: expect.any(String) })
    }
  })

  test('with an error page at /authorize, where a browser asks', async () => {
    const { status, headers, body } = await send('/authorize?client_id=x', ['Host: a b'])
    expect({ status, type: headers['content-type'] }).toEqual({ status: 400, type: 'text/html; charset=utf-8' })
    expect(body).toContain('Host header')
  })

  test('for other methods', async () => {
    for (const method of ['OPTIONS', 'POST', 'DELETE'])
      expectInvalidHost(await send('/v2/objects', ['Host: a b'], 'HTTP/1.1', method))
  })
})

describe('the same response as for any other host', () => {
  const HOSTS = ['a', 'crm', 'a.b', 'A_b.example', '127.0.0.1:8080', '[::1]', '[::1]:8080', 'localhost:1']
  test.each(HOSTS)('for Host: %j', async (host) => {
    for (const path of PATHS) {
      const expected = await send(path, ['Host: relata.example'])
      expect([path, (await send(path, [`Host: ${host}`])).status]).toEqual([path, expected.status])
    }
  })

  test('without a Host header, as HTTP/1.0 allows', async () => {
    for (const path of PATHS) expect((await send(path, [], 'HTTP/1.0')).status).not.toBe(500)
    expect((await send('/healthz', [], 'HTTP/1.0')).status).toBe(200)
    expect((await send('/v2/objects?limit=1', [], 'HTTP/1.0')).status).toBe(200)
  })
})
