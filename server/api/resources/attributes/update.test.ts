import { describe, expect, test } from 'bun:test'
import { slugOf } from '#testing/answer-shapes'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

/** Creates an attribute of a new object. Returns the slugs of both. */
async function made(members: Record<string, unknown> = {}): Promise<[object: string, slug: string]> {
  const object = await api.object()
  const { status, body } = await api.create(object, attributeInput(members))
  expect(status).toBe(200)
  return [object, body.data.api_slug]
}

describe('PATCH /v2/objects/{object}/attributes/{attribute}', () => {
  test('200 with all members that can change; the old slug is not found any more', async () => {
    const [object, slug] = await made()
    const before = (await api.get(object, slug)).body.data
    const change = { title: 'New', description: 'Newer', api_slug: 'newest', is_required: true }
    const { status, body } = await api.update(object, slug, change)
    expect(status).toBe(200)
    expect(body.data).toEqual({ ...before, ...change, is_default_value_enabled: true })
    expect((await api.get(object, slug)).status).toBe(404)
    expect((await api.update(object, 'newest', { description: null })).body.data.description).toBeNull()
  })

  test('200 ignoring type and is_multiselect beside a known member', async () => {
    const [object, slug] = await made({ type: 'domain' })
    const { status, body } = await api.update(object, slug, { type: 'text', is_multiselect: true, title: 'T' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ type: 'domain', is_multiselect: false, title: 'T' })
  })

  test.each([[{}], [{ type: 'number' }], [{ is_multiselect: true, unknown: 1 }]])(
    '400 for the empty payload %j',
    async (data) => {
      const [object, slug] = await made()
      const { status, body } = await api.update(object, slug, data)
      expect([status, body.code]).toEqual([400, 'validation_type'])
      expect(body.message).toContain('empty payload')
    },
  )

  test.each([
    ['people', 'name', { title: 'Full name' }],
    ['people', 'associated_deals', { is_archived: true }],
    ['deals', 'stage', { is_required: false }],
    ['deals', 'record_id', { api_slug: 'id' }],
    ['companies', 'description', { is_archived: true }],
  ])('400 for the system attribute %s.%s', async (object, slug, change) => {
    const { status, body } = await api.update(object, slug, change)
    expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
    expect(body.message).toContain('Cannot update a System attribute')
  })

  test('404 for an attribute that does not exist, with the closest slug', async () => {
    const { status, body } = await api.update('people', 'email_adresses', { title: 'x' })
    expect(status).toBe(404)
    expect(body.did_you_mean).toBe('email_addresses')
    expect(body.message).toContain('Attribute with slug/ID "email_adresses" not found')
  })

  test('409 for the slug of another attribute, also of an archived one; 200 for its own slug', async () => {
    const [object, slug] = await made()
    const other = attributeInput()
    await api.create(object, other)
    await api.update(object, other.api_slug, { is_archived: true })
    expect((await api.update(object, slug, { api_slug: other.api_slug })).status).toBe(409)
    expect((await api.update(object, slug, { api_slug: 'created_at' })).status).toBe(409)
    expect((await api.update(object, slug, { api_slug: slug })).status).toBe(200)
  })

  test('200 for the configuration that belongs to the type', async () => {
    const [object, slug] = await made({ type: 'currency' })
    const id = await api.record(object, { [slug]: 5 })
    const currency = { default_currency_code: 'EUR', display_type: 'code' }
    const { body } = await api.update(object, slug, { config: { currency } })
    expect(body.data.config.currency).toEqual(currency)
    expect((await api.values(object, id))[slug][0].currency_code).toBe('EUR')
    const partly = await api.update(object, slug, { config: { currency: { default_currency_code: 'EUR' } } })
    expect(partly.status).toBe(400)
    const foreign = await api.update(object, slug, { config: { record_reference: { allowed_objects: ['people'] } } })
    expect(foreign.body.data.config).toEqual(body.data.config)
  })

  test('200 for other allowed objects', async () => {
    const [object, slug] = await made({ type: 'record-reference' })
    const { body } = await api.update(object, slug, { config: { record_reference: { allowed_objects: ['deals'] } } })
    expect(body.data.config.record_reference.allowed_object_ids).toHaveLength(1)
  })
})

describe('archiving', () => {
  test('200 hides an attribute from lists and values, keeps its values, and can be undone', async () => {
    const [object, slug] = await made()
    const id = await api.record(object, { [slug]: 'kept' })
    expect((await api.update(object, slug, { is_archived: true })).body.data.is_archived).toBe(true)
    const slugs = async (query = '') => (await api.list(object, query)).map(slugOf)
    expect(await slugs()).not.toContain(slug)
    expect(await slugs('?show_archived=true')).toContain(slug)
    expect((await api.get(object, slug)).body.data.is_archived).toBe(true)
    expect(await api.values(object, id)).not.toHaveProperty(slug)
    const refused = await service.request('PATCH', `/v2/objects/${object}/records/${id}`, {
      data: { values: { [slug]: 'x' } },
    })
    expect([refused.status, refused.body.code]).toEqual([400, 'value_not_found'])
    await api.update(object, slug, { is_archived: false })
    expect((await api.values(object, id))[slug][0].value).toBe('kept')
  })
})

describe('switching is_unique', () => {
  const write = (object: string, values: unknown) =>
    service.request('POST', `/v2/objects/${object}/records`, { data: { values } })

  test('200 on: stored values count and stored duplicates remain; 200 off: equal values are accepted', async () => {
    const [object, slug] = await made()
    const first = await api.record(object, { [slug]: 'twice' })
    await api.record(object, { [slug]: 'twice' })
    await api.record(object, {})
    expect((await api.update(object, slug, { is_unique: true })).body.data.is_unique).toBe(true)
    const refused = await write(object, { [slug]: 'twice' })
    expect([refused.status, refused.body.code]).toEqual([400, 'uniqueness_conflict'])
    expect(refused.body.conflicting_record_ids).toEqual([first])
    expect((await write(object, { [slug]: 'once' })).status).toBe(200)
    await api.update(object, slug, { is_unique: false })
    expect((await write(object, { [slug]: 'once' })).status).toBe(200)
  })

  test('200 on: every value of a multiselect counts', async () => {
    const [object, slug] = await made({ type: 'email-address', is_multiselect: true })
    await api.record(object, { [slug]: ['A@Example.com', 'b@example.com'] })
    await api.update(object, slug, { is_unique: true })
    for (const address of ['a@example.com', 'B@example.com'])
      expect((await write(object, { [slug]: [address] })).status).toBe(400)
  })

  test('400 for a type that cannot be unique', async () => {
    const [object, slug] = await made({ type: 'checkbox' })
    const refused = await api.update(object, slug, { is_unique: true })
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('Cannot set attribute as unique.'),
    ])
    expect((await api.update(object, slug, { is_unique: false })).status).toBe(200)
  })
})

describe('DELETE /v2/objects/{object}/attributes/{attribute}', () => {
  test('200 deletes the values, the slug and the unique keys', async () => {
    const [object, slug] = await made({ is_unique: true })
    const id = await api.record(object, { [slug]: 'gone' })
    const { status, body } = await api.remove(object, slug)
    expect([status, body]).toEqual([200, {}])
    expect((await api.get(object, slug)).status).toBe(404)
    expect(await api.values(object, id)).not.toHaveProperty(slug)
    await api.create(object, attributeInput({ api_slug: slug, is_unique: true }))
    expect((await api.values(object, id))[slug]).toEqual([])
    await api.record(object, { [slug]: 'gone' })
  })

  test('400 for a system attribute, 404 for an unknown one', async () => {
    expect((await api.remove('people', 'name')).body.code).toBe('system_edit_unauthorized')
    expect((await api.remove('people', 'nothing')).status).toBe(404)
  })
})

describe('GET …/attributes', () => {
  test('200 with the requested page', async () => {
    const all = await api.list('people')
    expect(await api.list('people', '?limit=2&offset=1')).toEqual(all.slice(1, 3))
    expect(await api.list('people', '?offset=29')).toEqual(all.slice(29))
    expect((await service.request('GET', '/v2/objects/people/attributes?limit=0')).status).toBe(400)
  })

  test("404 for another workspace's attribute, by its id", async () => {
    const { key } = await service.anotherWorkspace()
    const { body } = await api.get('people', 'name')
    const path = `/v2/objects/people/attributes/${body.data.id.attribute_id}`
    expect((await service.request('GET', path, undefined, { key })).status).toBe(404)
  })
})
