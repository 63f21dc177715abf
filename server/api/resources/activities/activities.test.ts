import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testService, type TestService } from '#testing/service'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const input = (changes: object = {}) => ({
  data: { api_slug: 'visits', singular_noun: 'Visit', plural_noun: 'Visits', extends: 'interactions', ...changes },
})
const create = async (api_slug: string, changes: object = {}) => {
  const { status, body } = await service.request('POST', '/v2/activities', input({ api_slug, ...changes }))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data
}
const attributesOf = async (activity: string) =>
  (await service.request('GET', `/v2/activities/${activity}/attributes`)).body.data

describe('GET /v2/activities', () => {
  test('200 with the system activity of every workspace', async () => {
    const { status, body } = await service.request('GET', '/v2/activities')
    expect(status).toBe(200)
    expect(body.data[0]).toMatchObject({
      id: { workspace_id: service.workspaceId },
      api_slug: 'phone_calls',
      singular_noun: 'Phone call',
      plural_noun: 'Phone calls',
      extends: [{ schema_slug: 'calls' }],
      is_system_activity: true,
    })
    expect(body.pagination).toEqual({ next_cursor: null })
  })

  test('200 in pages', async () => {
    await create('page_one')
    await create('page_two')
    const slugs: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await service.request('GET', `/v2/activities?limit=1${query}`)
      slugs.push(...body.data.map((each: { api_slug: string }) => each.api_slug))
      cursor = body.pagination.next_cursor
    } while (cursor !== null)
    expect(slugs.slice(0, 3)).toEqual(['phone_calls', 'page_one', 'page_two'])
  })

  test.each(['limit=0', 'limit=1001', 'limit=x', 'cursor=wrong'])('400 for ?%s', async (query) => {
    expect((await service.request('GET', `/v2/activities?${query}`)).status).toBe(400)
  })

  test('403 without the scope', async () => {
    const key = await service.keyWith(['object_configuration:read-write'])
    expect((await service.request('GET', '/v2/activities', undefined, { key })).status).toBe(403)
  })
})

describe('POST /v2/activities', () => {
  test('200 with the attributes of the schema and of those that it extends', async () => {
    const activity = await create('office_visits')
    expect(activity).toMatchObject({ extends: [{ schema_slug: 'interactions' }], is_system_activity: false })
    const attributes = await attributesOf('office_visits')
    expect(attributes.map((each: { api_slug: string }) => each.api_slug)).toEqual([
      'record_id',
      'timestamp',
      'people',
      'companies',
      'note',
      'owner',
      'interaction_type',
      'created_at',
      'created_by',
    ])
  })

  test.each([
    ['another schema', { extends: 'meetings' }],
    ['no schema', { extends: undefined }],
    ['an empty noun', { singular_noun: '' }],
    ['a blank noun', { plural_noun: ' ' }],
    ['a slug with a space', { api_slug: 'a b' }],
    ['no slug', { api_slug: undefined }],
  ])('400 for %s', async (_, changes) => {
    const { status, body } = await service.request('POST', '/v2/activities', input(changes))
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test.each(['phone_calls', 'people', 'taken'])('409 for the slug %s of an activity or an object', async (api_slug) => {
    if (api_slug === 'taken') await create('taken')
    const { status, body } = await service.request('POST', '/v2/activities', input({ api_slug }))
    expect([status, body.code]).toEqual([409, 'slug_conflict'])
  })

  test('409 for an object with the slug of an activity', async () => {
    const data = { api_slug: 'phone_calls', singular_noun: 'X', plural_noun: 'Xs' }
    const { status, body } = await service.request('POST', '/v2/objects', { data })
    expect([status, body.code]).toEqual([409, 'slug_conflict'])
  })
})

describe('PATCH /v2/activities/{activity}', () => {
  test('200 with new names, by slug or id', async () => {
    const { id } = await create('before')
    const data = { api_slug: 'after', singular_noun: 'A', plural_noun: 'B' }
    const { status, body } = await service.request('PATCH', `/v2/activities/${id.activity_id}`, { data })
    expect(status).toBe(200)
    expect(body.data).toMatchObject(data)
    expect((await service.request('GET', '/v2/activities/before')).status).toBe(404)
    expect((await service.request('GET', '/v2/activities/after')).status).toBe(200)
  })

  test('200 for the nouns of the system activity, 400 for its slug', async () => {
    const nouns = { data: { singular_noun: 'Call', plural_noun: 'Calls' } }
    expect((await service.request('PATCH', '/v2/activities/phone_calls', nouns)).status).toBe(200)
    const slug = { data: { api_slug: 'calls' } }
    const { status, body } = await service.request('PATCH', '/v2/activities/phone_calls', slug)
    expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
  })

  test.each([{}, { extends: 'calls' }, { singular_noun: 'X', extends: 'calls' }, { singular_noun: '' }])(
    '400 for %p',
    async (data) => {
      await create('kept').catch(() => {})
      const { status, body } = await service.request('PATCH', '/v2/activities/kept', { data })
      expect([status, body.code]).toEqual([400, 'validation_type'])
    },
  )

  test('404 for an unknown activity, with the closest slug', async () => {
    const { status, body } = await service.request('PATCH', '/v2/activities/phone_call', { data: { api_slug: 'x' } })
    expect([status, body.code, body.did_you_mean]).toEqual([404, 'not_found', 'phone_calls'])
  })

  test('409 for the slug of another one', async () => {
    await create('first')
    await create('second')
    const { status } = await service.request('PATCH', '/v2/activities/second', { data: { api_slug: 'first' } })
    expect(status).toBe(409)
  })
})

describe('DELETE /v2/activities/{activity}', () => {
  test('200 with its records, its attributes and what refers to them', async () => {
    await create('gone')
    const relationship = { object: 'gone', title: 'Gone', api_slug: 'thing', is_multiselect: false }
    const attribute = {
      title: 'Gone',
      description: null,
      api_slug: 'gone',
      type: 'record-reference',
      is_required: false,
      is_unique: false,
      is_multiselect: true,
      config: {},
    }
    const added = await service.request('POST', '/v2/objects/companies/attributes', {
      data: { ...attribute, relationship },
    })
    expect(added.status).toBe(200)
    const company = await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
    const record = await service.request('POST', '/v2/activities/gone/records', {
      data: { values: { thing: company.body.data.id.record_id } },
    })
    expect(record.status).toBe(200)
    const { status, body } = await service.request('DELETE', '/v2/activities/gone')
    expect([status, body]).toEqual([200, {}])
    expect((await service.request('GET', '/v2/activities/gone')).status).toBe(404)
    const path = `/v2/objects/companies/records/${company.body.data.id.record_id}`
    expect((await service.request('GET', path)).body.data.values.gone).toBeUndefined()
    await create('gone')
  })

  test('400 for the system activity', async () => {
    const { status, body } = await service.request('DELETE', '/v2/activities/phone_calls')
    expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
  })

  test.each(['activity_configuration:read-write', 'activity_record:read-write'] as const)(
    '403 with %s alone',
    async (scope) => {
      await create('needed').catch(() => {})
      const key = await service.keyWith([scope])
      expect((await service.request('DELETE', '/v2/activities/needed', undefined, { key })).status).toBe(403)
    },
  )
})

describe('attributes of activities', () => {
  test('200 for attributes, options and statuses', async () => {
    await create('with_attributes')
    const path = '/v2/activities/with_attributes/attributes'
    const data = {
      title: 'Kind',
      description: null,
      api_slug: 'kind',
      type: 'select',
      is_required: false,
      is_unique: false,
      is_multiselect: false,
      config: {},
    }
    const attribute = await service.request('POST', path, { data })
    expect(attribute.status).toBe(200)
    expect((await service.request('POST', `${path}/kind/options`, { data: { title: 'One' } })).status).toBe(200)
    await service.request('POST', path, { data: { ...data, api_slug: 'stage', type: 'status' } })
    expect((await service.request('POST', `${path}/stage/statuses`, { data: { title: 'Open' } })).status).toBe(200)
    const record = await service.request('POST', '/v2/activities/with_attributes/records', {
      data: { values: { kind: 'One', stage: 'Open' } },
    })
    expect(record.body.data.values.kind[0].option.title).toBe('One')
    expect((await service.request('PATCH', `${path}/kind`, { data: { title: 'Sort' } })).status).toBe(200)
    expect((await service.request('DELETE', `${path}/kind`)).status).toBe(200)
  })

  test('400 for attributes that the schema gave', async () => {
    const path = '/v2/activities/phone_calls/attributes/direction'
    const { status, body } = await service.request('PATCH', path, { data: { title: 'X' } })
    expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
  })

  test('403 with the scopes of objects alone', async () => {
    const key = await service.keyWith(['object_configuration:read-write'])
    const { status } = await service.request('GET', '/v2/activities/phone_calls/attributes', undefined, { key })
    expect(status).toBe(403)
  })
})
