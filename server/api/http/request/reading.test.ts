import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '#testing/client'
import { echoService, type EchoService } from '#testing/echo'
import type { TestService } from '#testing/service'

const LIMIT = 50_000

let echo: EchoService
let service: TestService
let request: Client

beforeAll(async () => {
  echo = await echoService(LIMIT)
  ;({ service, request } = echo)
})
afterAll(() => echo.close())

describe('bodies', () => {
  const invalid: [name: string, body: string | Uint8Array, path: unknown[], message: string][] = [
    ['an empty body', '', [], 'Required'],
    ['no JSON', '{"data":', [], 'The body is not valid JSON'],
    ['null', 'null', [], 'Expected object, received null'],
    ['an array', '[]', [], 'Expected object, received array'],
    ['a bare text', '"x"', [], 'Expected object, received string'],
    ['another shape', '{"data":{"name":1}}', ['data', 'name'], 'Expected string, received number'],
    ['NUL', '{"data":{"name":"a\\u0000"}}', ['data', 'name'], 'Text must not contain NUL or half of a surrogate pair'],
    [
      'NUL in a key',
      '{"data":{"name":"a","\\u0000":1}}',
      ['data'],
      'Text must not contain NUL or half of a surrogate pair',
    ],
    [
      'half of a surrogate pair',
      '{"data":{"name":"\\uD83D"}}',
      ['data', 'name'],
      'Text must not contain NUL or half of a surrogate pair',
    ],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), [], 'The body is not valid UTF-8'],
    ['an abyss', `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, [], 'The body is nested too deeply'],
  ]
  test.each(invalid)('400 for %s', async (_, body, path, message) => {
    const answer = await request('POST', '/echo', body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
    expect(answer.body.message).toStartWith('Body payload validation error. (')
    expect(answer.body.validation_errors[0]).toMatchObject({ path, message })
  })

  test('400 with every problem in one response', async () => {
    const { body } = await request('POST', '/echo', { data: { size: 'x' } })
    expect(body.validation_errors.map(({ path }: { path: string[] }) => path.join('.'))).toEqual([
      'data.name',
      'data.size',
    ])
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

  test('200 without a content type, with the last of repeated members', async () => {
    const response = await fetch(`${echo.url}/echo`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
      body: Buffer.from('{"data":{"name":"a"},"data":{"name":"b"}}'),
    })
    expect(await response.json()).toEqual({ data: { name: 'b' } })
  })

  test('200 without a body where it is optional, and with a body where none is read', async () => {
    expect((await request('POST', '/optional')).body).toEqual({ body: {} })
    expect((await request('DELETE', '/echo', 'anything')).status).toBe(200)
  })

  test('415 for a multipart form', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const { status, body } = await request('POST', '/echo', 'a=1', { headers })
    expect([status, body.code]).toEqual([415, 'validation_type'])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', ''])('200 for JSON sent as "%s"', async (type) => {
    const sent = { data: { name: 'a' } }
    const { status, body } = await request('POST', '/echo', sent, { headers: { 'Content-Type': type } })
    expect([status, body]).toEqual([200, sent])
  })

  test('413 for a body over the limit, with and without a Content-Length', async () => {
    const text = JSON.stringify({ data: { name: 'x'.repeat(LIMIT) } })
    const headers = { Authorization: `Bearer ${service.key}` }
    const announced = await fetch(`${echo.url}/echo`, { method: 'POST', body: text, headers })
    const pieces = new Blob([text]).stream()
    const counted = await fetch(`${echo.url}/echo`, {
      method: 'POST',
      body: pieces,
      headers,
      duplex: 'half',
    } as RequestInit) // the types lack `duplex`
    for (const response of [announced, counted]) {
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ status_code: 413, code: 'validation_type' })
    }
  })
})

describe('Relata-Ignored', () => {
  const ignoredBy = async (path: string, body: unknown) =>
    (await request('POST', path, body)).headers.get('Relata-Ignored')

  test('names unknown members and parameters, also of a refused request', async () => {
    const data = { name: 'x', colour: 1, 'a/b, c~d': { e: 1 } }
    expect(await ignoredBy('/echo?limt=5&dry_run=true', { data, more: [] })).toBe(
      '?limt, /data/colour, /data/a~1b%2C%20c~0d, /more',
    )
    const refused = await request('POST', '/echo?limt=5', { data: {} })
    expect([refused.status, refused.headers.get('Relata-Ignored')]).toEqual([400, '?limt'])
    expect(await ignoredBy('/echo', { data: { name: 'x' } })).toBeNull()
  })

  test('names them in a header of limited length', async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at} ${'€\n'.repeat(20)}`, 1]))
    const header = await ignoredBy('/echo', { data: { name: 'x' }, ...many })
    expect(header).toMatch(/^[\x21-\x7e]+(?:, [\x21-\x7e]+)*, \.\.\.$/)
    expect(header?.length).toBeLessThan(1100)
    const short = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, 1]))
    expect((await ignoredBy('/echo', { data: { name: 'x' }, ...short }))?.split(', ')).toHaveLength(20)
  })

  test('names them for a write with an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const { headers: given } = await request('POST', '/echo', { data: { name: 'x' }, more: 1 }, { headers })
    expect(given.get('Relata-Ignored')).toBe('/more')
  })
})

describe('queries', () => {
  test('200 with defaults, and with text converted to the type of the parameter', async () => {
    expect((await request('GET', '/query')).body.query).toEqual({ limit: 10, offset: 0 })
    const { body } = await request('GET', '/query?limit=5&offset=7&show=true&name=12&other=1&limit=6')
    expect(body.query).toEqual({ limit: 6, offset: 7, show: true, name: '12' })
  })

  test.each([
    'limit=0',
    'limit=51',
    'limit=x',
    'limit=1.5',
    'limit=',
    'limit=1e1',
    'offset=-1',
    'show=yes',
    'name=%00',
    'limit=99999999999999999999',
  ])('400 for %s', async (text) => {
    const { status, body } = await request('GET', `/query?${text}`)
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.message).toStartWith('Query parameter validation error. (')
    expect(body.validation_errors).toHaveLength(1)
    expect(body.validation_errors[0].path).toEqual([text.split('=')[0]])
  })
})
