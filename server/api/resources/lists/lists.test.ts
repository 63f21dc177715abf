import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let other: string
beforeAll(async () => {
  const person = { first_name: 'Bob', last_name: '', email_address: 'bob@example.com', account_id: null }
  const { id } = await createMember(service.db, service.workspaceId, { ...person, access_level: 'member' }, 1)
  other = id
})

let made = 0

const input = (members: Record<string, unknown> = {}) => ({
  name: 'A list',
  api_slug: `list_${++made}`,
  parent_object: 'people',
  workspace_access: 'full-access',
  workspace_member_access: [],
  ...members,
})
const post = (members: Record<string, unknown> = {}) => service.request('POST', '/v2/lists', { data: input(members) })
const get = (slug: string) => service.request('GET', `/v2/lists/${slug}`)
const patch = (slug: string, data: unknown) => service.request('PATCH', `/v2/lists/${slug}`, { data })
const create = async (members: Record<string, unknown> = {}) => {
  const { status, body } = await post(members)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}

describe('POST /v2/lists', () => {
  test('200 with the parent object as an array, and with the actor that created the list', async () => {
    const { status, body } = await post({ api_slug: 'hiring', name: 'Hiring' })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      id: { workspace_id: service.workspaceId, list_id: expect.any(String) },
      api_slug: 'hiring',
      name: 'Hiring',
      parent_object: ['people'],
      workspace_access: 'full-access',
      workspace_member_access: [],
      created_by_actor: { type: 'api-token', id: expect.any(String) },
      created_at: expect.any(String),
    })
    expect((await get('hiring')).body.data).toEqual(body.data)
    expect((await get(body.data.id.list_id)).body.data).toEqual(body.data)
  })

  test('200 with the attributes that every list has', async () => {
    const { api_slug } = await create()
    const { body } = await service.request('GET', `/v2/lists/${api_slug}/attributes`)
    const traits = body.data.map((attribute: Record<string, unknown>) => [
      attribute.api_slug,
      attribute.type,
      attribute.is_writable,
      attribute.is_unique,
      attribute.is_required,
    ])
    expect(traits).toEqual([
      ['entry_id', 'text', false, true, false],
      ['parent_record', 'record-reference', false, false, true],
      ['created_at', 'timestamp', false, false, false],
      ['created_by', 'actor-reference', false, false, false],
    ])
    const people = await service.request('GET', '/v2/objects/people')
    expect(body.data[1].config.record_reference.allowed_object_ids).toEqual([people.body.data.id.object_id])
  })

  test('200 for a private list of one member', async () => {
    const workspace_member_access = [
      { workspace_member_id: service.member.id, level: 'full-access' },
      { workspace_member_id: other, level: 'read-only' },
    ]
    const list = await create({ workspace_access: null, workspace_member_access })
    expect([list.workspace_access, list.workspace_member_access]).toEqual([null, workspace_member_access])
  })

  const full = () => ({ workspace_member_id: service.member.id, level: 'full-access' })
  const refused: [string, () => Record<string, unknown>, number, string, string][] = [
    ['no full access', () => ({ workspace_access: 'read-and-write' }), 400, 'validation_type', 'full-access'],
    ['no access at all', () => ({ workspace_access: null }), 400, 'validation_type', 'full-access'],
    [
      'an unknown member',
      () => ({ workspace_member_access: [{ ...full(), workspace_member_id: crypto.randomUUID() }] }),
      400,
      'value_not_found',
      'Workspace member with ID',
    ],
    [
      'a member named twice',
      () => ({ workspace_member_access: [full(), full()] }),
      400,
      'validation_type',
      'named twice',
    ],
    [
      'an unknown level',
      () => ({ workspace_member_access: [{ ...full(), level: 'owner' }] }),
      400,
      'validation_type',
      'Invalid enum value',
    ],
    ['an unknown parent', () => ({ parent_object: 'persons' }), 404, 'not_found', 'Object with slug/ID "persons"'],
    ['an array of one parent', () => ({ parent_object: ['people'] }), 400, 'validation_type', 'at least 2 element'],
    ['no members', () => ({ workspace_member_access: undefined }), 400, 'validation_type', 'Required'],
    ['a slug in capitals', () => ({ api_slug: 'Hiring' }), 400, 'validation_type', ''],
    ['an empty name', () => ({ name: ' ' }), 400, 'validation_type', ''],
  ]
  test.each(refused)('refuses %s', async (_, members, status, code, message) => {
    const answer = await post(members())
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.message).toContain(message)
  })

  test('409 for the slug of another list, 200 for the slug of an object', async () => {
    const { api_slug } = await create()
    const { status, body } = await post({ api_slug })
    expect([status, body.code]).toEqual([409, 'slug_conflict'])
    expect((await post({ api_slug: 'companies' })).status).toBe(200)
  })

  test('400 for a disabled standard object', async () => {
    const small = await service.anotherWorkspace()
    await service.db.sql`update relata.objects set is_enabled = false
      where workspace_id = ${small.workspaceId} and standard_slug = 'deals'`
    const data = input({ parent_object: 'deals' })
    const { status, body } = await service.request('POST', '/v2/lists', { data }, { key: small.key })
    expect([status, body.code]).toEqual([400, 'standard_object_disabled'])
  })
})

describe('GET /v2/lists', () => {
  test('200 in the order of creation, of this workspace only', async () => {
    const another = await service.anotherWorkspace()
    const lists = async () => (await service.request('GET', '/v2/lists', undefined, { key: another.key })).body.data
    expect(await lists()).toEqual([])
    for (const api_slug of ['zeta', 'alpha']) {
      await service.request('POST', '/v2/lists', { data: input({ api_slug }) }, { key: another.key })
    }
    expect((await lists()).map((list: { api_slug: string }) => list.api_slug)).toEqual(['zeta', 'alpha'])
    expect((await get('zeta')).status).toBe(404)
  })

  test('404 naming the closest slug', async () => {
    await create({ api_slug: 'customer_success' })
    const { status, body } = await get('customer_sucess')
    expect([status, body.code, body.did_you_mean]).toEqual([404, 'not_found', 'customer_success'])
    expect(body.message).toContain('List with slug/ID "customer_sucess" not found')
  })
})

describe('PATCH /v2/lists/{list}', () => {
  test('200 changes the members of the request; the old slug is not found any more', async () => {
    const { api_slug, id } = await create()
    const { status, body } = await patch(api_slug, { name: 'Renamed', api_slug: `${api_slug}_new` })
    expect([status, body.data.name, body.data.api_slug]).toEqual([200, 'Renamed', `${api_slug}_new`])
    expect((await get(api_slug)).status).toBe(404)
    expect((await get(id.list_id)).body.data).toEqual(body.data)
  })

  test('200 replaces the access members of the request', async () => {
    const { api_slug } = await create()
    const mine = { workspace_member_id: service.member.id, level: 'full-access' }
    const theirs = { workspace_member_id: other, level: 'read-only' }
    const access = async (data: unknown) => {
      const { body } = await patch(api_slug, data)
      return [body.data.workspace_access, body.data.workspace_member_access]
    }
    expect(await access({ workspace_member_access: [theirs, mine] })).toEqual(['full-access', [theirs, mine]])
    expect(await access({ workspace_access: null })).toEqual([null, [theirs, mine]])
    expect(await access({ workspace_member_access: [mine] })).toEqual([null, [mine]])
  })

  test('200 for the present parent object, as text and as array', async () => {
    const { api_slug } = await create()
    for (const parent_object of ['people', ['people'], 'person']) {
      expect((await patch(api_slug, { parent_object })).status).toBe(200)
    }
  })

  const refused: [string, object, number, string][] = [
    ['an empty change', {}, 400, 'validation_type'],
    ['only unknown members', { title: 'x' }, 400, 'validation_type'],
    ['another parent', { parent_object: 'companies' }, 400, 'immutable_value'],
    ['several parents', { parent_object: ['people', 'companies'] }, 400, 'immutable_value'],
    ['a change that leaves no full access', { workspace_access: 'read-only' }, 400, 'validation_type'],
    ['the slug of another list', { api_slug: 'taken' }, 409, 'slug_conflict'],
  ]
  test.each(refused)('refuses %s', async (_, data, status, code) => {
    await post({ api_slug: 'taken' })
    const { api_slug } = await create()
    const answer = await patch(api_slug, data)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('DELETE /v2/lists/{list}', () => {
  test('200 deletes entries, table and rows; the record remains and the slug can be used again', async () => {
    const { api_slug } = await create()
    const record = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    const { record_id } = record.body.data.id
    const data = { parent_object: 'people', parent_record_id: record_id, entry_values: {} }
    expect((await service.request('POST', `/v2/lists/${api_slug}/entries`, { data })).status).toBe(200)
    const tables = async () => service.db.sql`select from pg_tables where schemaname = 'w_1' and tablename like 'l_%'`
    const before = (await tables()).length
    const { status, body } = await service.request('DELETE', `/v2/lists/${api_slug}`)
    expect([status, body]).toEqual([200, {}])
    expect((await tables()).length).toBe(before - 1)
    expect((await get(api_slug)).status).toBe(404)
    const entries = await service.request('GET', `/v2/objects/people/records/${record_id}/entries`)
    expect([entries.status, entries.body.data]).toEqual([200, []])
    expect((await post({ api_slug })).status).toBe(200)
  })
})
