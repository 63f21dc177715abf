/**
 * Attributes, options and statuses.
 * See docs/reference/objects-and-attributes.md (Attributes, Select options and statuses).
 */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { attributeBody, makeAttribute, makeObject } from '../../support/fixtures/model'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, pathsIn, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(async () => {
  const started = await startService()
  await makeObject(started.request, 'things')
  return started
})

const path = (object: string, ...rest: string[]) => [`/v2/objects/${object}/attributes`, ...rest].join('/')

const create = (object: string, data: Parameters<typeof attributeBody>[0]) =>
  service().request('POST', path(object), { data: attributeBody(data) })

const MANY = ['select', 'actor-reference', 'record-reference', 'domain', 'email-address', 'phone-number']
const UNIQUE = ['text', 'number', 'domain', 'email-address', 'phone-number', 'timestamp']
// Dates are left out: clients disagree on whether they can be unique.
const CREATABLE = [...new Set([...MANY, ...UNIQUE, 'checkbox', 'currency', 'rating', 'location', 'status'])]

describe.each(CREATABLE)('an attribute of type %s', (type) => {
  const slug = (kind: string) => `${kind}_${type.replaceAll('-', '_')}`

  test('200 with both members of config', async () => {
    const { body } = await create('things', { api_slug: slug('one'), type })
    expect(body.data).toMatchObject({ type, is_system_attribute: false, is_writable: true, relationship: null })
    expect(Object.keys(body.data.config).toSorted()).toEqual(['currency', 'record_reference'])
  })

  test('200 or 400 for multiselect, as the type allows', async () => {
    const { status, body } = await create('things', { api_slug: slug('many'), type, is_multiselect: true })
    expect([status, body.code]).toEqual(MANY.includes(type) ? [200, undefined] : [400, 'validation_type'])
  })

  test.each(['things', 'people'])('200 or 400 for unique on %s, as the type allows', async (object) => {
    const answer = await create(object, { api_slug: slug('unique'), type, is_unique: true })
    if (UNIQUE.includes(type)) return expect(answer.status).toBe(200)
    expectRefusal(answer, 400, 'validation_type', ['Cannot set attribute as unique'])
  })
})

describe('POST …/attributes', () => {
  test.each(['interaction', 'personal-name', 'nothing', '', null, 5])('400 for type %j', async (type) => {
    const data = { ...attributeBody({ api_slug: 'x', type: 'text' }), type }
    expectRefusal(await service().request('POST', path('things'), { data }), 400, 'validation_type')
  })

  const REQUIRED = ['title', 'description', 'api_slug', 'type', 'is_required', 'is_unique', 'is_multiselect', 'config']
  test.each(REQUIRED)('400 without %s', async (member) => {
    const data = { ...attributeBody({ api_slug: 'x', type: 'text' }), [member]: undefined }
    const answer = await service().request('POST', path('things'), { data })
    expectRefusal(answer, 400, 'validation_type', ['Required'])
    expect(pathsIn(answer)).toContainEqual(['data', member])
  })

  test('400 naming every missing member', async () => {
    expect(pathsIn(await service().request('POST', path('things'), { data: {} }))).toHaveLength(REQUIRED.length)
  })

  test.each(['people', 'companies'])('400 for a status on %s', async (object) => {
    expectRefusal(await create(object, { api_slug: 'x', type: 'status' }), 400, 'validation_type')
  })

  test('409 for the slug of another attribute of the object, also an archived one; 200 on another object', async () => {
    await create('things', { api_slug: 'old', type: 'text' })
    await service().request('PATCH', path('things', 'old'), { data: { is_archived: true } })
    expectRefusal(await create('things', { api_slug: 'old', type: 'text' }), 409, 'slug_conflict', ['api_slug'])
    expectRefusal(await create('things', { api_slug: 'record_id', type: 'text' }), 409, 'slug_conflict')
    expect((await create('people', { api_slug: 'old', type: 'text' })).status).toBe(200)
  })

  test('200 for currency with dollars by default; 400 for an incomplete config', async () => {
    const { body } = await create('things', { api_slug: 'money', type: 'currency' })
    expect(body.data.config.currency).toEqual({ default_currency_code: 'USD', display_type: 'symbol' })
    const half = { currency: { default_currency_code: 'EUR' } }
    expectRefusal(await create('things', { api_slug: 'half', type: 'currency', config: half }), 400, 'validation_type')
  })

  test('200 for a relationship with both sides, each naming the other completely', async () => {
    const relationship = { object: 'people', title: 'Things', api_slug: 'their_things', is_multiselect: true }
    const { body } = await create('things', { api_slug: 'owner', type: 'record-reference', relationship })
    const reverse = (await service().request('GET', path('people', 'their_things'))).body.data
    expect(body.data.relationship).toEqual({
      id: reverse.id,
      object_slug: 'people',
      title: 'Things',
      api_slug: 'their_things',
      is_multiselect: true,
    })
    expect(reverse.relationship).toMatchObject({
      id: body.data.id,
      object_slug: 'things',
      api_slug: 'owner',
      is_multiselect: false,
    })
    const people = (await service().request('GET', '/v2/objects/people')).body.data.id.object_id
    expect(body.data.config.record_reference.allowed_object_ids).toEqual([people])
    expectRefusal(
      await create('things', { api_slug: 'again', type: 'record-reference', relationship }),
      409,
      'slug_conflict',
    )
    expectRefusal(await service().request('GET', path('things', 'again')), 404, 'not_found')
    expectRefusal(await create('things', { api_slug: 'again', type: 'text', relationship }), 400, 'validation_type')
  })
})

describe('PATCH and DELETE …/attributes/{attribute}', () => {
  test('200 for a new slug; the old slug is not found any more in paths and values; the values stay', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', { api_slug: 'first', type: 'text' })
    const id = recordIdOf(await createRecord(request, 'things', { first: 'kept' }))
    await request('PATCH', path('things', 'first'), { data: { api_slug: 'second' } })
    expectRefusal(await request('GET', path('things', 'first')), 404, 'not_found')
    expectRefusal(await createRecord(request, 'things', { first: 'x' }), 400, 'value_not_found')
    const { values } = (await request('GET', `/v2/objects/things/records/${id}`)).body.data
    expect(values.second[0].value).toBe('kept')
  })

  test('200 for archiving: hidden and not writable; restoring shows its values again', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', { api_slug: 'hidden', type: 'text' })
    const record = `/v2/objects/things/records/${recordIdOf(await createRecord(request, 'things', { hidden: 'kept' }))}`
    await request('PATCH', path('things', 'hidden'), { data: { is_archived: true } })
    const slugs = async (query: string) =>
      (await request('GET', path('things') + query)).body.data.map(({ api_slug }: { api_slug: string }) => api_slug)
    expect(await slugs('')).not.toContain('hidden')
    expect(await slugs('?show_archived=true')).toContain('hidden')
    expect((await request('GET', path('things', 'hidden'))).body.data.is_archived).toBe(true)
    expect((await request('GET', record)).body.data.values.hidden).toBeUndefined()
    expectRefusal(await createRecord(request, 'things', { hidden: 'x' }), 400, 'value_not_found')
    await request('PATCH', path('things', 'hidden'), { data: { is_archived: false } })
    expect((await request('GET', record)).body.data.values.hidden[0].value).toBe('kept')
  })

  test('200 ignores type and is_multiselect; 400 without another member', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', { api_slug: 'fixed', type: 'text' })
    const change = { type: 'number', is_multiselect: true }
    const { body } = await request('PATCH', path('things', 'fixed'), { data: { ...change, title: 'New' } })
    expect(body.data).toMatchObject({ type: 'text', is_multiselect: false, title: 'New' })
    expectRefusal(await request('PATCH', path('things', 'fixed'), { data: change }), 400, 'validation_type', [
      'empty payload',
    ])
  })

  test('200 for deleting, with its values and its slug', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', { api_slug: 'gone', type: 'text', is_unique: true })
    recordIdOf(await createRecord(request, 'things', { gone: 'x' }))
    expect((await request('DELETE', path('things', 'gone'))).body).toEqual({})
    expectRefusal(await request('GET', path('things', 'gone')), 404, 'not_found')
    await makeAttribute(request, 'things', { api_slug: 'gone', type: 'text', is_unique: true })
    expect((await createRecord(request, 'things', { gone: 'x' })).status).toBe(200)
  })
})

describe.each([
  ['select', 'options'],
  ['status', 'statuses'],
] as const)('%s: …/%s', (type, kind) => {
  const options = (...rest: string[]) => path('things', `option_${type}`, kind, ...rest)
  const add = (title: unknown) => service().request('POST', options(), { data: { title } })

  test('200 in the order of creation, trimmed and found by title; 409 for the same title in any case', async () => {
    const { request } = service()
    await makeAttribute(request, 'things', { api_slug: `option_${type}`, type })
    for (const title of ['One', '  Two ', 'Drei & Vier/5']) expect((await add(title)).status).toBe(200)
    const titles = (await request('GET', options())).body.data.map(({ title }: { title: string }) => title)
    expect(titles).toEqual(['One', 'Two', 'Drei & Vier/5'])
    expectRefusal(await add('ONE'), 409, 'slug_conflict', ['already another', '"ONE"'])
    const renamed = await request('PATCH', options(encodeURIComponent('Drei & Vier/5')), { data: { title: 'Three' } })
    expect(renamed.body.data.title).toBe('Three')
    expectRefusal(await request('PATCH', options('Three'), { data: { title: 'two' } }), 409, 'slug_conflict')
    expectRefusal(await request('PATCH', options('None'), { data: { title: 'x' } }), 400, 'value_not_found', ['"None"'])
    expectRefusal(await request('PATCH', options('Three'), { data: {} }), 400, 'validation_type', ['empty payload'])
  })

  test.each(['', '   ', 'x'.repeat(256), null, 5])('400 for the title %j', async (title) => {
    expectRefusal(await add(title), 400, 'validation_type')
  })

  test('400 for adding to and 404 for reading of another type; 400 on a read-only attribute', async () => {
    const { request } = service()
    const says = [`not a ${type} attribute`]
    expectRefusal(
      await request('POST', path('people', 'job_title', kind), { data: { title: 'x' } }),
      400,
      'validation_type',
      says,
    )
    expectRefusal(await request('GET', path('people', 'job_title', kind)), 404, 'not_found')
    if (type === 'select') {
      const readOnly = path('people', 'strongest_connection_strength', kind)
      expectRefusal(await request('POST', readOnly, { data: { title: 'x' } }), 400, 'system_edit_unauthorized')
    }
  })
})

test.each(['P', '-P1D', 'P1', 'one day', 5, ''])('400 for a target time of %j', async (target_time_in_status) => {
  const statuses = path('deals', 'stage', 'statuses')
  const answer = await service().request('POST', statuses, { data: { title: 'Timed', target_time_in_status } })
  expectRefusal(answer, 400, 'validation_type')
})

test.each(['P1D', 'PT36H', 'P1Y2M3DT4H5M6S', null])('200 for a target time of %j', async (target_time_in_status) => {
  const statuses = path('deals', 'stage', 'statuses')
  const data = { title: `Timed ${target_time_in_status}`, target_time_in_status, celebration_enabled: true }
  expect((await service().request('POST', statuses, { data })).body.data).toMatchObject(data)
})
