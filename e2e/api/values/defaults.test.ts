/**
 * Default values of new records. See docs/reference/objects-and-attributes.md (Default values, Attributes).
 */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { attributeBody, type AttributeInput, makeAttribute, makeObject } from '../../support/fixtures/model'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, ownMembers, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(async () => {
  const started = await startService()
  await makeObject(started.request, 'things')
  return started
})

const statically = (...template: readonly unknown[]) => ({ type: 'static', template })
const dynamically = (template: string) => ({ type: 'dynamic', template })

const STATIC: readonly (readonly [type: string, value: unknown, reads: object])[] = [
  ['text', { value: 'x' }, { value: 'x' }],
  ['number', { value: 5 }, { value: 5 }],
  ['checkbox', { value: true }, { value: true }],
  ['currency', { currency_value: 5 }, { currency_value: 5, currency_code: 'USD' }],
  ['date', { value: '2023-01-02' }, { value: '2023-01-02' }],
  ['rating', { value: 3 }, { value: 3 }],
  ['domain', { domain: 'a.com' }, { domain: 'a.com', root_domain: 'a.com' }],
]

describe('static default values', () => {
  test.each(STATIC)('200 for %s', async (type, value, reads) => {
    const { request } = service()
    const api_slug = `static_${type.replaceAll('-', '_')}`
    await makeAttribute(request, 'things', { api_slug, type, default_value: statically(value) })
    const attribute = (await request('GET', `/v2/objects/things/attributes/${api_slug}`)).body.data
    expect(attribute).toMatchObject({ is_default_value_enabled: true, default_value: { type: 'static' } })
    const { values } = (await createRecord(request, 'things', {})).body.data
    expect(ownMembers(values[api_slug])).toEqual([reads])
    const emptied = await createRecord(request, 'things', { [api_slug]: [] })
    expect(emptied.body.data.values[api_slug]).toEqual([])
  })

  test('200 with several values of a multiselect; an update adds none', async () => {
    const { request } = service()
    const attribute = { api_slug: 'addresses', type: 'email-address', is_multiselect: true }
    await makeAttribute(request, 'things', {
      ...attribute,
      default_value: statically({ email_address: 'a@relata.dev' }, { email_address: 'b@relata.dev' }),
    })
    const created = await createRecord(request, 'things', {})
    expect(created.body.data.values.addresses).toHaveLength(2)
    const path = `/v2/objects/things/records/${recordIdOf(created)}`
    await request('PUT', path, { data: { values: { addresses: [] } } })
    expect((await request('PATCH', path, { data: { values: {} } })).body.data.values.addresses).toEqual([])
  })

  test('400 for null in a required attribute with a default value', async () => {
    const { request } = service()
    await makeObject(request, 'strict', [
      { api_slug: 'must', type: 'text', is_required: true, default_value: statically({ value: 'x' }) },
    ])
    expect((await createRecord(request, 'strict', {})).body.data.values.must[0].value).toBe('x')
    expectRefusal(await createRecord(request, 'strict', { must: null }), 400, 'missing_value')
  })
})

describe('dynamic default values', () => {
  test('200 with dates and timestamps of the present and of the future', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', { api_slug: 'today', type: 'date', default_value: dynamically('PT0S') })
    await makeAttribute(request, 'things', {
      api_slug: 'in_a_day',
      type: 'timestamp',
      default_value: dynamically('P1D'),
    })
    const before = Date.now()
    const { values } = (await createRecord(request, 'things', {})).body.data
    const after = Date.now()
    expect([before, after].map(dayOf)).toContain(values.today[0].value)
    const aDayBefore = Date.parse(values.in_a_day[0].value) - 24 * 60 * 60 * 1000
    expect(aDayBefore).toBeWithin(before, after + 1)
  })

  test('200 with the actor that creates the record', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', {
      api_slug: 'author',
      type: 'actor-reference',
      default_value: dynamically('current-user'),
    })
    const { values } = (await createRecord(request, 'things', {})).body.data
    expect(ownMembers(values.author)).toEqual(ownMembers(values.created_by))
  })
})

const BAD: readonly (readonly [object: string, attribute: AttributeInput])[] = [
  ['people', { api_slug: 'x', type: 'text', default_value: statically({ value: 'x' }) }],
  ['companies', { api_slug: 'x', type: 'text', default_value: statically({ value: 'x' }) }],
  ['things', { api_slug: 'x', type: 'number', default_value: statically({ value: 'x' }) }],
  ['things', { api_slug: 'x', type: 'text', default_value: dynamically('current-user') }],
  ['things', { api_slug: 'x', type: 'date', default_value: dynamically('tomorrow') }],
]
test.each(BAD)('400 for an invalid default value on %s: %j', async (object, attribute) => {
  const path = `/v2/objects/${object}/attributes`
  expectRefusal(await service().request('POST', path, { data: attributeBody(attribute) }), 400, 'validation_type')
  expectRefusal(await service().request('GET', `${path}/x`), 404, 'not_found')
})

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)
