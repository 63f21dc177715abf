/** Whatever is sent, the answer is one of the contract and never a fault of the service. Spec: errors-and-limits 1. */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startValueService } from '../../support/everything'
import { forThisFile } from '../../support/for-this-file'
import { anyJson, nearlyValues } from '../../support/random-values'
import { createRecord, recordIdOf } from '../../support/value-cases'

const service = forThisFile(startValueService)

const RUNS = 400
const TIME = 60_000

/** The requests below throw by themselves on 5xx, and on errors without envelope. */
async function never5xx<T>(
  arbitrary: fc.Arbitrary<T>,
  send: (value: T) => Promise<{ status: number }>,
  numRuns = RUNS,
) {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    expect((await send(value)).status).toBeLessThan(500)
  })
  await fc.assert(property, { numRuns, seed: 1 })
}

const RECORDS = '/v2/objects/everything/records'

test(
  'in place of values',
  async () => {
    await never5xx(nearlyValues, (values) => createRecord(service().request, 'everything', values))
  },
  TIME,
)

test(
  'in place of values, in an update, an assert and a history',
  async () => {
    const { request } = service()
    const id = recordIdOf(await createRecord(request, 'everything', {}))
    const ways = fc.constantFrom(
      (values: unknown) => request('PATCH', `${RECORDS}/${id}`, { data: { values } }),
      (values: unknown) => request('PUT', `${RECORDS}/${id}`, { data: { values } }),
      (values: unknown) => request('PUT', `${RECORDS}?matching_attribute=emails`, { data: { values } }),
      (values: unknown) =>
        request('PUT', `${RECORDS}/${id}/attributes/text/values`, { data: { values, replace_history: true } }),
    )
    await never5xx(fc.tuple(ways, nearlyValues), ([way, values]) => way(values))
  },
  TIME,
)

const BODIES = [
  ['POST', RECORDS],
  ['PUT', `${RECORDS}?matching_attribute=emails`],
  ['POST', `${RECORDS}/merge`],
  ['POST', '/v2/objects'],
  ['PATCH', '/v2/objects/everything'],
  ['POST', '/v2/objects/everything/attributes'],
  ['PATCH', '/v2/objects/everything/attributes/text'],
  ['POST', '/v2/objects/everything/attributes/select/options'],
  ['PATCH', '/v2/objects/everything/attributes/select/options/Low'],
  ['POST', '/v2/objects/everything/attributes/status/statuses'],
] as const

test(
  'in place of bodies and of their data',
  async () => {
    const body = fc.oneof(
      anyJson,
      anyJson.map((data) => ({ data })),
    )
    await never5xx(fc.tuple(fc.constantFrom(...BODIES), body), ([[method, path], sent]) =>
      service().request(method, path, JSON.stringify(sent)),
    )
  },
  TIME,
)

test(
  'bytes in place of JSON',
  async () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ maxLength: 40 }).map((text) => new TextEncoder().encode(`{"data":{"values":{"text":"${text}"}}}`)),
      fc
        .constantFrom(
          '{"data":',
          '[[[[',
          '{"data":{"values":{"text":"\\u0000"}}}',
          '{"data":{"values":{"text":"\\ud800"}}}',
          '{"data":{"values":{"\\u0000":1}}}',
          'null',
          '""',
          '1e999',
          '\ufeff{}',
        )
        .map((text) => new TextEncoder().encode(text)),
    )
    await never5xx(pieces, (bytes) => service().request('POST', RECORDS, bytes))
  },
  TIME,
)

test(
  'in paths and query strings',
  async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map(encodeURIComponent),
      fc.constantFrom(
        '%',
        '%00',
        '%zz',
        '%ff',
        '..',
        '%2e%2e',
        '%2F',
        '01890a5d-ac96-774b-bcce-b302099a8057',
        'everything',
        'x'.repeat(500),
      ),
    )
    const path = fc.constantFrom(
      (a: string, b: string) => `/v2/objects/${a}/records/${b}`,
      (a: string, b: string) => `/v2/objects/everything/records/${a}/attributes/${b}/values`,
      (a: string, b: string) => `/v2/objects/everything/attributes/${a}?${b}`,
      (a: string, b: string) =>
        `/v2/objects/everything/attributes/select/options?limit=${a}&offset=${b}&show_archived=${a}`,
      (a: string, b: string) => `/v2/objects/everything/attributes?limit=${a}&offset=${b}`,
      (a: string, b: string) => `/v2/lists/${a}/attributes/${b}`,
      (a: string, b: string) => `/${a}/${b}`,
    )
    await never5xx(fc.tuple(path, segment, segment), ([make, a, b]) => service().request('GET', make(a, b)))
  },
  TIME,
)

test(
  'in headers',
  async () => {
    const value = fc.oneof(
      fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
      fc.constantFrom(
        '*',
        'W/"1"',
        '"1", "2"',
        'gzip;q=x',
        'bytes=0-',
        'multipart/form-data',
        'application/json; charset=utf-16',
        'text/plain',
        'x'.repeat(4000),
      ),
    )
    const name = fc.constantFrom(
      'Content-Type',
      'Accept',
      'Accept-Encoding',
      'If-Match',
      'If-None-Match',
      'Idempotency-Key',
      'Range',
      'Origin',
      'X-Forwarded-For',
      'Authorization',
    )
    await never5xx(
      fc.tuple(name, value),
      async ([header, sent]) => {
        const headers = { [header]: sent }
        const body = { data: { values: {} } }
        return service().request('POST', RECORDS, body, { headers })
      },
      200,
    )
  },
  TIME,
)

test(
  'in Authorization',
  async () => {
    const { request, key } = service()
    const value = fc.oneof(
      fc.stringMatching(/^[\x21-\x7e]{1,80}$/),
      fc.stringMatching(/^[0-9a-f]{64}$/).map((token) => `Bearer ${token}`),
      fc.constantFrom('Bearer', 'Bearer ', `bearer ${key}x`, `Basic ${key}`, `Bearer ${key.toUpperCase()}`),
    )
    const property = fc.asyncProperty(value, async (Authorization) => {
      const { status, body } = await request('GET', '/v2/objects', undefined, { key: null, headers: { Authorization } })
      expect({ status, type: body.type, code: body.code }).toEqual({
        status: 401,
        type: 'auth_error',
        code: 'unauthorized',
      })
    })
    await fc.assert(property, { numRuns: 100, seed: 1 })
  },
  TIME,
)
