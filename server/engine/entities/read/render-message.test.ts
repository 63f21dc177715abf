/** A page, a read of one record and a write answer a record with the same bytes. */

import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
let object: string

const TYPES = {
  text: 'text',
  number: 'number',
  rating: 'rating',
  date: 'date',
  instant: 'timestamp',
  checked: 'checkbox',
  amount: 'currency',
  several: 'select',
} as const

beforeAll(async () => {
  object = await api.object()
  for (const [api_slug, type] of Object.entries(TYPES)) {
    const is_multiselect = api_slug === 'several'
    await api.create(object, attributeInput({ title: api_slug, api_slug, type, is_multiselect }))
  }
  for (const title of ['One', 'Two "2"']) {
    await service.request('POST', `/v2/objects/${object}/attributes/several/options`, { data: { title } })
  }
})

async function answerOf(method: string, path: string, body?: object) {
  const response = await service.app.handle(
    new Request(`http://localhost${path}`, {
      method,
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  return { text: await response.text(), etag: response.headers.get('etag') }
}

/** Reads all records by one query, and each by itself. Writes answer from decoded rows; an empty PATCH changes nothing. */
async function expectSameBytes(): Promise<void> {
  const path = `/v2/objects/${object}/records`
  const page = await answerOf('POST', `${path}/query`, { limit: 500 })
  const ids: string[] = JSON.parse(page.text).data.map((record: { id: { record_id: string } }) => record.id.record_id)
  const read = await Promise.all(ids.map((id) => answerOf('GET', `${path}/${id}`)))
  const written = await Promise.all(ids.map((id) => answerOf('PATCH', `${path}/${id}`, { data: { values: {} } })))
  expect(read.length).toBeGreaterThan(0)
  expect(read).toEqual(written)
  const records = read.map(({ text }) => text.slice('{"data":'.length, -1))
  expect(page.text).toBe(`{"data":[${records.join(',')}]}`)
}

test('texts with characters to escape, long ones and numbers in every form', async () => {
  const texts = [
    '"',
    'a\\',
    'a\n\r\tb',
    '\u0001',
    '\u007f\u2028',
    'é😀\ufeff',
    '{}[],:',
    'é'.repeat(128),
    'é'.repeat(129),
    '"'.repeat(300),
  ]
  const numbers = [
    0,
    -0,
    1.5,
    -0.25,
    1e15,
    1e21,
    123456789012345,
    -1e-7,
    1e-5,
    5e-324,
    1.7976931348623157e308,
    0.1 + 0.2,
  ]
  const values = [{}, ...texts.map((text) => ({ text })), ...numbers.map((number) => ({ number }))]
  await Promise.all(values.map((each) => api.record(object, each)))
  await expectSameBytes()
})

test('any values, before and after changes of some of them', async () => {
  const instant = fc.date({
    min: new Date('0001-01-01'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  const values = fc.record(
    {
      text: fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
      number: fc.double({ noNaN: true, noDefaultInfinity: true }),
      rating: fc.double({ min: 0, max: 5, noNaN: true }),
      date: instant.map((date) => date.toISOString().slice(0, 10)),
      instant: fc
        .tuple(instant, fc.stringMatching(/^\d{6}$/))
        .map(([date, below]) => date.toISOString().replace('Z', `${below}Z`)),
      checked: fc.boolean(),
      amount: fc.integer().map((cents) => cents / 100),
      several: fc.subarray(['One', 'Two "2"']),
    },
    { requiredKeys: [] },
  )
  const written = fc.sample(values, { numRuns: 40, seed: 5 })
  const ids = await Promise.all(written.map((each) => api.record(object, each)))
  await expectSameBytes()
  const changes = fc.sample(values, { numRuns: 20, seed: 6 })
  await Promise.all(
    changes.map((change, index) =>
      service.request('PATCH', `/v2/objects/${object}/records/${ids[index]}`, { data: { values: change } }),
    ),
  )
  await expectSameBytes()
})

test('a long text', async () => {
  const id = await api.record(object, { text: '"é'.repeat(40_000) })
  const path = `/v2/objects/${object}/records/${id}`
  expect(await answerOf('GET', path)).toEqual(await answerOf('PATCH', path, { data: { values: {} } }))
})
