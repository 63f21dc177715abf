import { describe, expect, test } from 'bun:test'
import { gunzipSync, zstdDecompressSync, brotliDecompressSync } from 'node:zlib'
import { routeNotFound } from '#base/errors/http'
import { createAnswers, JsonText, newRequestId, chooseEncoding } from './answer'

const answers = createAnswers('acme')
const ask = (headers: Record<string, string> = {}) => new Request('http://localhost/v2/x', { headers })

const FIXED = {
  'Content-Type': 'application/json; charset=utf-8',
  'Access-Control-Allow-Origin': '*',
  Vary: 'Origin, Accept-Encoding',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=7776000; includeSubDomains; preload',
  'Cache-Control': 'no-store',
}

describe('every response', () => {
  test('has the common headers and its id in two headers, also for errors', async () => {
    const id = newRequestId()
    const good = await answers.json(ask(), id, new JsonText('{}'))
    const bad = await answers.error(ask(), id, routeNotFound('GET', '/x'))
    for (const { headers } of [good, bad]) {
      expect(Object.fromEntries(Object.keys(FIXED).map((name) => [name, headers.get(name)]))).toEqual(FIXED)
      expect([headers.get('x-acme-execution-id'), headers.get('X-Request-Id')]).toEqual([id, id])
      expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).toContainValues([
        'x-acme-execution-id',
        'x-acme-record-query-score',
        'ETag',
        'Retry-After',
      ])
    }
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  })

  test('has the error body for an error', async () => {
    const response = await answers.error(ask(), newRequestId(), routeNotFound('GET', '/x'))
    expect(await response.json()).toEqual({
      status_code: 404,
      type: 'invalid_request_error',
      code: 'not_found',
      message: 'Could not find endpoint "GET /x".',
    })
  })
})

describe('chooseEncoding', () => {
  const cases: [accepted: string, encoding: string | undefined][] = [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['zstd;q=0.5, br;q=0.9, gzip;q=0.1', 'br'],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['zstd;q=0, *', 'gzip'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=nonsense', undefined],
    ['deflate', undefined],
    ['', undefined],
  ]
  test.each(cases)('%p chooses %p', (accepted, encoding) => {
    expect<string | undefined>(chooseEncoding(accepted)).toBe(encoding)
  })
})

describe('compression', () => {
  const unpack: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    gzip: gunzipSync,
    zstd: zstdDecompressSync,
    br: brotliDecompressSync,
  }
  const sizes = [2_000, 200_000]

  test.each(Object.keys(unpack).flatMap((encoding) => sizes.map((size) => [encoding, size] as const)))(
    '%s of %i characters',
    async (encoding, size) => {
      const text = JSON.stringify({ text: 'ä€😀'.repeat(size / 4) })
      const response = await answers.json(ask({ 'Accept-Encoding': encoding }), newRequestId(), new JsonText(text))
      expect(response.headers.get('Content-Encoding')).toBe(encoding)
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.length).toBeLessThan(text.length / 2)
      expect(Buffer.from(unpack[encoding]?.(bytes) ?? []).toString()).toBe(text)
    },
  )

  test('does not apply to short responses, and to those of clients that accept none', async () => {
    for (const [text, headers] of [
      ['{}', { 'Accept-Encoding': 'gzip' }],
      ['x'.repeat(5_000), {}],
    ] as const) {
      const response = await answers.json(ask(headers), newRequestId(), new JsonText(text))
      expect(response.headers.get('Content-Encoding')).toBeNull()
      expect(await response.text()).toBe(text)
    }
  })
})
