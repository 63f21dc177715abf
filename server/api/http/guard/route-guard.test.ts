import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '#testing/client'
import { echoService, type EchoService } from '#testing/echo'
import type { TestService } from '#testing/service'

let echo: EchoService
let service: TestService
let request: Client

beforeAll(async () => {
  echo = await echoService(50_000)
  ;({ service, request } = echo)
})
afterAll(() => echo.close())

const good = { data: { name: 'Ada' } }

describe('the order of refusals', () => {
  test('404 for unknown paths and methods, with and without a token', async () => {
    for (const [method, path] of [
      ['GET', '/nope'],
      ['PATCH', '/echo'],
      ['GET', '/echo'],
      ['POST', '/query'],
      ['POST', '/echo/1'],
    ] as const) {
      for (const key of [null, 'x', service.key]) {
        const { status, body } = await request(method, `${path}?a=1`, undefined, { key })
        expect([status, body.code, body.message]).toEqual([
          404,
          'not_found',
          `Could not find endpoint "${method} ${path}".`,
        ])
      }
    }
  })

  test('401 before every other refusal of a route', async () => {
    const { status, body, headers } = await request('POST', '/echo', 'not json', { key: null })
    expect([status, body.type, body.code]).toEqual([401, 'auth_error', 'unauthorized'])
    expect(body.message).toBe('Authorization header was not provided.')
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  test.each(['access_token', '', '%00', '%ED%A0%80', '%EF%BF%BD'])(
    '401 for a token in the query, in a parameter named "%s"',
    async (name) => {
      const { status, body } = await request('POST', `/echo?${name}=${service.key}`, good, { key: null })
      expect([status, body.message]).toEqual([401, 'Authorization header was not provided.'])
    },
  )

  test('401 for a token in the body', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { status } = await request('POST', '/echo', `access_token=${service.key}`, { key: null, headers: form })
    expect(status).toBe(401)
  })

  test('401 for a token of the wrong length and for an unknown token', async () => {
    const short = await request('POST', '/echo', good, { key: 'short' })
    expect([short.status, short.body.message]).toEqual([401, expect.stringContaining('length is wrong')])
    const unknown = await request('POST', '/echo', good, { key: 'f'.repeat(64) })
    expect([unknown.status, unknown.body.message]).toEqual([401, expect.stringContaining('could not be found')])
    expect(unknown.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
  })

  test('403 naming every missing scope, before the body is read', async () => {
    const key = await service.keyWith(['note:read'])
    const { status, body, headers } = await request('POST', '/echo', 'not json', { key })
    expect([status, body.type]).toEqual([403, 'auth_error'])
    expect(body.message).toBe(
      'This operation requires scopes: Read-Write access to the Notes scope, Read access to the Tasks scope.',
    )
    expect(body.required_scopes).toEqual(['note:read-write', 'task:read'])
    expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope", scope="note:read-write task:read"')
  })

  test('200 when a read-write scope includes the read scope', async () => {
    const key = await service.keyWith(['note:read-write', 'task:read-write'])
    expect((await request('POST', '/echo', good, { key })).status).toBe(200)
  })
})

describe('paths', () => {
  test('200 with decoded parameters, with and without a trailing slash', async () => {
    expect((await request('GET', '/path/a%20b%2Fc')).body.params).toEqual({ attribute: 'a b/c' })
    expect((await request('GET', '/path/x/')).body.params).toEqual({ attribute: 'x' })
    expect((await request('DELETE', '/echo/')).status).toBe(200)
  })

  test.each(['/path/%00', '/path/%zz', '/path/%', '/path/'])('404 for %s', async (path) => {
    expect((await request('GET', path)).status).toBe(404)
  })

  test('414 for a URL of more than 16 KiB', async () => {
    expect((await request('GET', `/path/${'x'.repeat(17_000)}`)).status).toBe(414)
  })
})

describe('responses', () => {
  test('JSON text is sent unchanged, with its own status and headers', async () => {
    const { status, body, headers } = await request('GET', '/text')
    expect([status, body, headers.get('ETag')]).toEqual([201, { a: 1 }, '"1"'])
  })

  test.each(['CONNECTION_CLOSED', 'ECONNREFUSED', 'CONNECT_TIMEOUT', '57P01', '53300'])(
    '503 when the database fails with %s',
    async (code) => {
      const { status, body, headers } = await silently(() => request('GET', `/fail?code=${code}`))
      expect([status, body.type, body.code]).toEqual([503, 'api_error', 'unavailable'])
      expect(headers.get('Retry-After')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
    },
  )

  test('400 when a statement exceeds its time limit', async () => {
    expect((await silently(() => request('GET', '/fail?code=57014'))).body.code).toBe('query_timed_out')
  })

  test('500 without the cause, which is logged with the id of the request', async () => {
    const lines: string[] = []
    const { status, body, headers } = await silently(() => request('GET', '/fail?code=oops'), lines)
    expect([status, body.type, body.code]).toEqual([500, 'api_error', 'internal_error'])
    expect(JSON.stringify(body)).not.toContain('secret cause')
    const logged = JSON.parse(lines[0] ?? '')
    expect(logged).toMatchObject({ error: 'the secret cause', method: 'GET', path: '/fail' })
    expect(logged.request_id).toBe(headers.get('X-Request-Id'))
  })
})

/** Runs `work` and collects the lines that it logs, so that they do not appear in the test report. */
async function silently<T>(work: () => Promise<T>, lines: string[] = []): Promise<T> {
  const log = console.error
  console.error = (line: string) => lines.push(line)
  try {
    return await work()
  } finally {
    console.error = log
  }
}
