/** Unique attributes. See docs/reference/values.md (Unique values). */

import { describe, expect, test } from 'bun:test'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'
import { service } from './service'

const everything = (values: unknown) => createRecord(service().request, 'everything', values)
const record = (id: string) => `/v2/objects/everything/records/${id}`

/** An attribute, a value, the same value in another form, and a different value. */
const CASES = [
  { slug: 'unique_text', value: 'one', same: { value: 'one' }, other: 'One' },
  { slug: 'unique_number', value: 1, same: { value: 1.0 }, other: 2 },
  {
    slug: 'unique_timestamp',
    value: '2023-01-01T00:00:00Z',
    same: '2023-01-01T02:00:00+02:00',
    other: '2023-01-01T00:00:00.000000001Z',
  },
  { slug: 'domains', value: ['one.com'], same: ['other1.com', 'ONE.com'], other: ['www.one.com'] },
  {
    slug: 'emails',
    value: ['one@relata.dev'],
    same: ['two@relata.dev', 'ONE@Relata.dev'],
    other: ['one+tag@relata.dev'],
  },
  {
    slug: 'phones',
    value: ['+12125553333'],
    same: [{ original_phone_number: '(212) 555-3333', country_code: 'US' }],
    other: ['+12125553334'],
  },
] as const

describe.each(CASES)('$slug', ({ slug, value, same, other }) => {
  test('400 for a value of another record in any form; 200 after that record is deleted', async () => {
    const { request } = service()
    const entity = recordIdOf(await everything({ [slug]: value }))
    const conflict = await everything({ [slug]: same })
    expectRefusal(conflict, 400, 'uniqueness_conflict', [
      `"${slug}"`,
      'conflicts with one already in the system',
      'uniqueness constraint',
    ])
    expect(conflict.body).toMatchObject({ type: 'invalid_request_error', conflicting_record_ids: [entity] })
    expect(conflict.body.message).toEndWith(`Conflicting record IDs: ${entity}`)

    const second = recordIdOf(await everything({ [slug]: other }))
    for (const method of ['PATCH', 'PUT'] as const) {
      const refused = await request(method, record(second), { data: { values: { [slug]: same } } })
      expectRefusal(refused, 400, 'uniqueness_conflict', [entity])
    }
    expect((await request('PUT', record(entity), { data: { values: { [slug]: same } } })).status).toBe(200)

    await request('DELETE', record(entity))
    const third = recordIdOf(await everything({ [slug]: value }))
    await request('PUT', record(third), { data: { values: { [slug]: [] } } })
    expect((await request('PUT', record(second), { data: { values: { [slug]: value } } })).status).toBe(200)
  })
})

test('400 for an equal text that is longer than an index row, 200 for one that differs at its end', async () => {
  const long = 'x'.repeat(20_000)
  const entity = recordIdOf(await everything({ unique_text: long }))
  const conflict = await everything({ unique_text: long })
  expect(conflict.body.conflicting_record_ids).toEqual([entity])
  recordIdOf(await everything({ unique_text: `${long}y` }))
})

test('200 for records of another object', async () => {
  const { request } = service()
  recordIdOf(await createRecord(request, 'people', { email_addresses: ['both@relata.dev'] }))
  recordIdOf(await everything({ emails: ['both@relata.dev'] }))
})

test('200 for the record of a merge, which has the value', async () => {
  const { request } = service()
  const [primary, secondary] = [
    recordIdOf(await everything({ emails: ['p@relata.dev'], unique_text: 'p' })),
    recordIdOf(await everything({ emails: ['s@relata.dev'], unique_text: 's' })),
  ]
  const ids = { primary_record_id: primary, secondary_record_id: secondary }
  const merged = (await request('POST', '/v2/objects/everything/records/merge', { data: ids })).body.data.new_record_id
  for (const address of ['p@relata.dev', 's@relata.dev']) {
    expect((await everything({ emails: [address] })).body.conflicting_record_ids).toEqual([merged])
  }
  expect((await everything({ unique_text: 'p' })).body.conflicting_record_ids).toEqual([merged])
  recordIdOf(await everything({ unique_text: 's' }))
})

test('400 only for new values when the attribute became unique over equal values', async () => {
  const { request } = service()
  const first = recordIdOf(await everything({ text: 'twice' }))
  const second = recordIdOf(await everything({ text: 'twice' }))
  const path = '/v2/objects/everything/attributes/text'
  expect((await request('PATCH', path, { data: { is_unique: true } })).body.data?.is_unique).toBe(true)
  const conflict = await everything({ text: 'twice' })
  expect([first, second]).toContain(conflict.body.conflicting_record_ids[0])
  for (const id of [first, second]) {
    expect((await request('PATCH', record(id), { data: { values: { text: 'twice' } } })).status).toBe(200)
  }
  expect((await request('PATCH', path, { data: { is_unique: false } })).body.data?.is_unique).toBe(false)
  recordIdOf(await everything({ text: 'twice' }))
})
