import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()

let made = 0

async function object(): Promise<string> {
  const api_slug = `thing_${++made}`
  const data = { api_slug, singular_noun: `Thing ${made}`, plural_noun: `Things ${made}` }
  expect((await service.request('POST', '/v2/objects', { data })).status).toBe(200)
  return api_slug
}

async function attribute(owner: string, api_slug: string, members: Record<string, unknown>): Promise<void> {
  const flags = { is_required: false, is_unique: false, is_multiselect: false }
  const data = {
    title: api_slug,
    description: null,
    api_slug,
    type: 'record-reference',
    ...flags,
    config: {},
    ...members,
  }
  expect((await service.request('POST', `/v2/objects/${owner}/attributes`, { data })).status).toBe(200)
}

async function record(owner: string, values: unknown): Promise<string> {
  const { status, body } = await service.request('POST', `/v2/objects/${owner}/records`, { data: { values } })
  expect(status).toBe(200)
  return body.data.id.record_id
}

const remove = (slug: string, query = '') => service.request('DELETE', `/v2/objects/${slug}${query}`)

describe('DELETE /v2/objects/{object}', () => {
  test('200 for an empty custom object, whose slug and nouns can be used again', async () => {
    const slug = await object()
    const { status, body } = await remove(slug)
    expect([status, body]).toEqual([200, {}])
    expect((await service.request('GET', `/v2/objects/${slug}`)).status).toBe(404)
    made--
    expect(await object()).toBe(slug)
  })

  test('409 while it has records, 200 with force', async () => {
    const slug = await object()
    await attribute(slug, 'code', { type: 'text', is_unique: true })
    await record(slug, { code: 'x' })
    const refused = await remove(slug)
    expect([refused.status, refused.body.code]).toEqual([409, 'object_not_empty'])
    expect((await remove(slug, '?force=false')).status).toBe(409)
    expect((await remove(slug, '?force=true')).status).toBe(200)
    const tables = await service.db.sql`select 1 from pg_tables where schemaname = ${'w_1'} and tablename ~ '^o_[0-9]'`
    const objects = await service.db.sql`select 1 from relata.objects where workspace_id = ${service.workspaceId}`
    expect(tables.length).toBe(objects.length)
    expect(await service.db.sql`select 1 from w_1.uniques where key = 'x'`).toHaveLength(0)
  })

  test('200 deletes everything that referred to it', async () => {
    const slug = await object()
    const other = await object()
    await attribute(slug, 'itself', {
      relationship: { object: slug, title: 'B', api_slug: 'back', is_multiselect: true },
    })
    await attribute(slug, 'owner', {
      relationship: { object: 'people', title: 'O', api_slug: 'owned', is_multiselect: true },
    })
    await attribute(other, 'only', { config: { record_reference: { allowed_objects: [slug] } } })
    await attribute(other, 'some', {
      config: { record_reference: { allowed_objects: [slug, 'people'] } },
      is_multiselect: true,
    })
    await attribute(other, 'anything', {})
    const person = await record('people', { name: 'Lovelace, Ada' })
    const target = await record(slug, { owner: { target_object: 'people', target_record_id: person } })
    const reference = { target_object: slug, target_record_id: target }
    const kept = { target_object: 'people', target_record_id: person }
    const entity = await record(other, { only: reference, some: [reference, kept], anything: reference })

    expect((await remove(slug, '?force=true')).status).toBe(200)

    const { body } = await service.request('GET', `/v2/objects/${other}/records/${entity}`)
    expect(body.data.values).not.toHaveProperty('only')
    expect(body.data.values.some).toMatchObject([kept])
    expect(body.data.values.anything).toEqual([])
    const some = await service.request('GET', `/v2/objects/${other}/attributes/some`)
    expect(some.body.data.config.record_reference.allowed_object_ids).toHaveLength(1)
    expect((await service.request('GET', '/v2/objects/people/attributes/owned')).status).toBe(404)
    const values = `/v2/objects/${other}/records/${entity}/attributes/some/values?show_historic=true`
    expect((await service.request('GET', values)).body.data).toHaveLength(1)
  })

  test('400 for a standard object, 404 for an unknown one', async () => {
    const { status, body } = await remove('deals', '?force=true')
    expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
    expect((await remove('nothing')).status).toBe(404)
  })
})
