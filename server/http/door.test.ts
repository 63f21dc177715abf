import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { createAccess } from '../access/authenticate'
import { createClient, type Client } from '../testing/client'
import { testService, type TestService } from '../testing/service'
import { createAnswers, JsonText } from './answer'
import { createDoor } from './door'
import { gate } from './gate'
import { limitOffset } from './pagination'

const LIMIT = 50_000

let service: TestService
let request: Client
let url: string
let stop: () => Promise<unknown>

beforeAll(async () => {
  service = await testService({ bodyLimit: LIMIT })
  const app = echoApp(service)
  request = createClient(app, service.key)
  app.listen({ port: 0, hostname: '127.0.0.1' })
  url = `http://127.0.0.1:${app.server?.port}`
  stop = () => app.stop(true)
})
afterAll(async () => {
  await stop()
  await service.close()
})

const Body = Type.Object({ data: Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }) })
const Query = Type.Object({ ...limitOffset(10, 50), show: Type.Optional(Type.Boolean()), name: Type.Optional(Type.String()) })
const about = { summary: 'Echo', tag: 'Test', response: Type.Unknown() }

/** Routes that hand back what the door let through. */
function echoApp({ platform }: TestService) {
  const { authenticate } = createAccess(platform.db, platform.now)
  const door = createDoor(platform, authenticate)
  return new Elysia({ normalize: false })
    .use(gate(createAnswers('relata'), 'relata'))
    .post('/echo', ...door({ ...about, operation: 'echo', scopes: ['note:read-write', 'task:read'], body: Body }, ({ body }) => body))
    .delete('/echo', ...door({ ...about, operation: 'drop', scopes: [] }, () => ({})))
    .post('/optional', ...door({ ...about, operation: 'optional', scopes: [], body: Type.Object({}), bodyOptional: true }, ({ body }) => ({ body })))
    .get('/query', ...door({ ...about, operation: 'query', scopes: [], query: Query }, ({ query }) => ({ query })))
    .get('/path/:attribute', ...door({ ...about, operation: 'path', scopes: ({ attribute }) => (attribute === 'secret' ? ['file:read'] : []) }, ({ params }) => ({ params })))
    .get('/text', ...door({ ...about, operation: 'text', scopes: [] }, () => new JsonText('{"a":1}', { status: 201, headers: { ETag: '"1"' } })))
    .get('/fail', ...door({ ...about, operation: 'fail', scopes: [], query: Type.Object({ code: Type.String() }) }, ({ query }) => fail(query.code)))
}

function fail(code: string): never {
  throw Object.assign(new Error('the secret cause'), { code })
}

const good = { data: { name: 'Ada' } }

describe('the order of refusals', () => {
  test('404 for unknown paths and methods, whoever asks', async () => {
    for (const [method, path] of [['GET', '/nope'], ['PATCH', '/echo'], ['GET', '/echo'], ['POST', '/query'], ['POST', '/echo/1']] as const) {
      for (const key of [null, 'x', service.key]) {
        const { status, body } = await request(method, `${path}?a=1`, undefined, { key })
        expect([status, body.code, body.message]).toEqual([404, 'not_found', `Could not find endpoint "${method} ${path}".`])
      }
    }
  })

  test('401 before everything else that a known path could refuse', async () => {
    const { status, body, headers } = await request('POST', '/echo', 'not json', { key: null })
    expect([status, body.type, body.code]).toEqual([401, 'auth_error', 'unauthorized'])
    expect(body.message).toBe('Authorization header was not provided.')
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  test('401 for a token of wrong length, and for an unknown one', async () => {
    const short = await request('POST', '/echo', good, { key: 'short' })
    expect([short.status, short.body.message]).toEqual([401, expect.stringContaining('length is wrong')])
    const unknown = await request('POST', '/echo', good, { key: 'f'.repeat(64) })
    expect([unknown.status, unknown.body.message]).toEqual([401, expect.stringContaining('could not be found')])
    expect(unknown.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
  })

  test('403 naming every missing scope, before the body is looked at', async () => {
    const key = await service.keyWith(['note:read'])
    const { status, body, headers } = await request('POST', '/echo', 'not json', { key })
    expect([status, body.type]).toEqual([403, 'auth_error'])
    expect(body.message).toBe('This operation requires scopes: Read-Write access to the Notes scope, Read access to the Tasks scope.')
    expect(body.required_scopes).toEqual(['note:read-write', 'task:read'])
    expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope", scope="note:read-write task:read"')
  })

  test('200 when a scope for writing includes the one for reading', async () => {
    const key = await service.keyWith(['note:read-write', 'task:read-write'])
    expect((await request('POST', '/echo', good, { key })).status).toBe(200)
  })

  test('scopes may depend on the path', async () => {
    const key = await service.keyWith([])
    expect((await request('GET', '/path/open', undefined, { key })).status).toBe(200)
    expect((await request('GET', '/path/secret', undefined, { key })).status).toBe(403)
  })
})

describe('bodies', () => {
  const invalid: [name: string, body: string | Uint8Array, path: unknown[], message: string][] = [
    ['nothing', '', [], 'Required'],
    ['no JSON', '{"data":', [], 'The body is not valid JSON'],
    ['null', 'null', [], 'Expected object, received null'],
    ['an array', '[]', [], 'Expected object, received array'],
    ['a bare text', '"x"', [], 'Expected object, received string'],
    ['another shape', '{"data":{"name":1}}', ['data', 'name'], 'Expected string, received number'],
    ['NUL', '{"data":{"name":"a\\u0000"}}', ['data', 'name'], 'Text must not contain NUL or half of a surrogate pair'],
    ['NUL in a key', '{"data":{"name":"a","\\u0000":1}}', ['data'], 'Text must not contain NUL or half of a surrogate pair'],
    ['half of a surrogate pair', '{"data":{"name":"\\uD83D"}}', ['data', 'name'], 'Text must not contain NUL or half of a surrogate pair'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), [], 'The body is not valid UTF-8'],
    ['an abyss', `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, [], 'The body is nested too deeply'],
  ]
  test.each(invalid)('400 for %s', async (_, body, path, message) => {
    const answer = await request('POST', '/echo', body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
    expect(answer.body.message).toStartWith('Body payload validation error. (')
    expect(answer.body.validation_errors[0]).toMatchObject({ path, message })
  })

  test('400 with every problem at once', async () => {
    const { body } = await request('POST', '/echo', { data: { size: 'x' } })
    expect(body.validation_errors.map(({ path }: { path: string[] }) => path.join('.'))).toEqual(['data.name', 'data.size'])
  })

  const fine: [name: string, body: string, type: string][] = [
    ['a whole surrogate pair', '{"data":{"name":"\\uD83D\\uDE00"}}', 'application/json'],
    ['an escaped backslash before u0000', '{"data":{"name":"\\\\u0000"}}', 'application/json'],
    ['a type of its own', '{"data":{"name":"x"}}', 'application/vnd.api+json'],
    ['the type of plain text', '{"data":{"name":"x"}}', 'text/plain'],
    ['unknown members', '{"data":{"name":"x","other":1},"__proto__":{}}', 'application/json'],
  ]
  test.each(fine)('200 for %s', async (_, body, type) => {
    expect((await request('POST', '/echo', body, { headers: { 'Content-Type': type } })).status).toBe(200)
  })

  test('200 without a content type, the last of repeated members counting', async () => {
    const answer = await service.app.handle(new Request('http://localhost/v2/self', { headers: { Authorization: `Bearer ${service.key}` } }))
    expect(answer.status).toBe(200)
    const response = await fetch(`${url}/echo`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
      body: Buffer.from('{"data":{"name":"a"},"data":{"name":"b"}}'),
    })
    expect(await response.json()).toEqual({ data: { name: 'b' } })
  })

  test('200 with an absent body where it is optional, and with one where none is read', async () => {
    expect((await request('POST', '/optional')).body).toEqual({ body: {} })
    expect((await request('DELETE', '/echo', 'anything')).status).toBe(200)
  })

  test.each(['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])('415 for %s', async (type) => {
    const { status, body } = await request('POST', '/echo', 'a=1', { headers: { 'Content-Type': type } })
    expect([status, body.code]).toEqual([415, 'validation_type'])
  })

  test('413 for a body over the limit, announced or in pieces', async () => {
    const text = JSON.stringify({ data: { name: 'x'.repeat(LIMIT) } })
    const headers = { Authorization: `Bearer ${service.key}` }
    const announced = await fetch(`${url}/echo`, { method: 'POST', body: text, headers })
    const pieces = new Blob([text]).stream()
    const counted = await fetch(`${url}/echo`, { method: 'POST', body: pieces, headers, duplex: 'half' } as RequestInit) // types lag behind
    for (const response of [announced, counted]) {
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ status_code: 413, code: 'validation_type' })
    }
  })
})

describe('queries', () => {
  test('200 with defaults, and with text read as its kind', async () => {
    expect((await request('GET', '/query')).body.query).toEqual({ limit: 10, offset: 0 })
    const { body } = await request('GET', '/query?limit=5&offset=7&show=true&name=12&other=1&limit=6')
    expect(body.query).toEqual({ limit: 6, offset: 7, show: true, name: '12' })
  })

  test.each(['limit=0', 'limit=51', 'limit=x', 'limit=1.5', 'limit=', 'limit=1e1', 'offset=-1', 'show=yes', 'name=%00', 'limit=99999999999999999999'])(
    '400 for %s',
    async (text) => {
      const { status, body } = await request('GET', `/query?${text}`)
      expect([status, body.code]).toEqual([400, 'validation_type'])
      expect(body.message).toStartWith('Query parameter validation error. (')
      expect(body.validation_errors).toHaveLength(1)
      expect(body.validation_errors[0].path).toEqual([text.split('=')[0]])
    },
  )
})

describe('paths', () => {
  test('200 decoded, with or without a slash at the end', async () => {
    expect((await request('GET', '/path/a%20b%2Fc')).body.params).toEqual({ attribute: 'a b/c' })
    expect((await request('GET', '/path/x/')).body.params).toEqual({ attribute: 'x' })
    expect((await request('DELETE', '/echo/')).status).toBe(200)
  })

  test.each(['/path/%00', '/path/%zz', '/path/%', '/path/'])('404 for %s', async (path) => {
    expect((await request('GET', path)).status).toBe(404)
  })

  test('414 for an address of more than 16 KiB', async () => {
    expect((await request('GET', `/path/${'x'.repeat(17_000)}`)).status).toBe(414)
  })
})

describe('answers', () => {
  test('text rendered already goes out as it is, with its own status and headers', async () => {
    const { status, body, headers } = await request('GET', '/text')
    expect([status, body, headers.get('ETag')]).toEqual([201, { a: 1 }, '"1"'])
  })

  test.each(['CONNECTION_CLOSED', 'ECONNREFUSED', 'CONNECT_TIMEOUT', '57P01', '53300'])('503 when the database says %s', async (code) => {
    const { status, body, headers } = await silently(() => request('GET', `/fail?code=${code}`))
    expect([status, body.type, body.code]).toEqual([503, 'api_error', 'unavailable'])
    expect(headers.get('Retry-After')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
  })

  test('400 when a statement runs out of time', async () => {
    expect((await silently(() => request('GET', '/fail?code=57014'))).body.code).toBe('query_timed_out')
  })

  test('500 tells nothing of the cause, which is logged with the id of the request', async () => {
    const lines: string[] = []
    const { status, body, headers } = await silently(() => request('GET', '/fail?code=oops'), lines)
    expect([status, body.type, body.code]).toEqual([500, 'api_error', 'internal_error'])
    expect(JSON.stringify(body)).not.toContain('secret cause')
    const logged = JSON.parse(lines[0] ?? '')
    expect(logged).toMatchObject({ error: 'the secret cause', method: 'GET', path: '/fail' })
    expect(logged.request_id).toBe(headers.get('X-Request-Id'))
  })
})

/** Keeps what is logged meanwhile out of the report. */
async function silently<T>(work: () => Promise<T>, lines: string[] = []): Promise<T> {
  const log = console.error
  console.error = (line: string) => lines.push(line)
  try {
    return await work()
  } finally {
    console.error = log
  }
}
