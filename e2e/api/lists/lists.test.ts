/**
 * Lists and their views, by the rows of the reference.
 * See docs/reference/lists-and-entries.md and docs/reference/views.md.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { entryClient, entryIdOf } from '../../support/fixtures/entries'
import { forThisFile } from '../../support/service/service-per-file'
import { makeList } from '../../support/fixtures/model'
import { type Service, startService } from '../../support/service/service'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(startService)
let request: Service['request']
let member: string
beforeAll(async () => {
  request = service().request
  member = (await request('GET', '/v2/self')).body.authorized_by_workspace_member_id
})

let made = 0
const input = (members: object = {}) => ({
  name: 'A list',
  api_slug: `list_${++made}`,
  parent_object: 'companies',
  workspace_access: 'full-access',
  workspace_member_access: [],
  ...members,
})
const create = (members: object = {}) => request('POST', '/v2/lists', { data: input(members) })
const patch = (list: string, data: object) => request('PATCH', `/v2/lists/${list}`, { data })

describe('lists', () => {
  test('200 with the parent object by slug, by id and by old alias; it is read as its slug', async () => {
    const { object_id } = (await request('GET', '/v2/objects/companies')).body.data.id
    for (const parent_object of ['companies', object_id, 'company']) {
      const { status, body } = await create({ parent_object })
      expect([status, body.data.parent_object]).toEqual([200, ['companies']])
      const read = await request('GET', `/v2/lists/${body.data.id.list_id.toUpperCase()}`)
      expect(read.body).toEqual(body)
    }
  })

  test.each(['name', 'api_slug', 'parent_object', 'workspace_access', 'workspace_member_access'])(
    '400 without %s',
    async (missing) => {
      const answer = await create({ [missing]: undefined })
      expectRefusal(answer, 400, 'validation_type')
      expect(answer.body.validation_errors).toContainEqual(expect.objectContaining({ path: ['data', missing] }))
    },
  )

  const SLUGS: [string, number][] = [
    ['a', 200],
    ['with-hyphens_and_9', 200],
    [`a${'b'.repeat(62)}`, 200],
    [`a${'b'.repeat(63)}`, 400],
    ['9lives', 400],
    ['_x', 400],
    ['two words', 400],
    ['Ümlaut', 400],
    ['', 400],
    ['abcdef01-2345-4789-8abc-def012345678', 400],
  ]
  test.each(SLUGS)('slug %p is %p, for a new list and for a renamed one', async (api_slug, status) => {
    const created = await create({ api_slug })
    expect(created.status).toBe(status)
    if (status === 200) await request('DELETE', `/v2/lists/${api_slug}`)
    const other = (await create()).body.data.api_slug
    expect((await patch(other, { api_slug })).status).toBe(status)
    await request('DELETE', `/v2/lists/${status === 200 ? api_slug : other}`)
  })

  test('200 for its own slug, 409 for the slug of another list; unknown members are ignored', async () => {
    const [one, other] = [(await create()).body.data, (await create()).body.data]
    expect((await patch(one.api_slug, { api_slug: one.api_slug, color: 'red' })).body.data).toEqual(one)
    expectRefusal(await patch(one.api_slug, { api_slug: other.api_slug }), 409, 'slug_conflict')
    expectRefusal(await patch(one.api_slug, { color: 'red' }), 400, 'validation_type')
  })

  const full = () => ({ workspace_member_id: member, level: 'full-access' })
  const changes: [string, () => object, number, string?][] = [
    ['a private list with full access for one member', () => ({ workspace_member_access: [full()] }), 200],
    ['no member with full access', () => ({ workspace_member_access: [{ ...full(), level: 'read-only' }] }), 400],
    [
      'an unknown member',
      () => ({ workspace_member_access: [full(), { ...full(), workspace_member_id: crypto.randomUUID() }] }),
      400,
      'value_not_found',
    ],
    [
      'a member id that is not a UUID',
      () => ({ workspace_member_access: [{ ...full(), workspace_member_id: 'x' }] }),
      400,
    ],
    ['a member without a level', () => ({ workspace_member_access: [{ workspace_member_id: member }] }), 400],
    ['access of no such level', () => ({ workspace_access: 'owner', workspace_member_access: [full()] }), 400],
  ]
  test.each(changes)('%s', async (_, access, status, code = 'validation_type') => {
    const { api_slug } = (await create()).body.data
    const answers = [
      await create({ workspace_access: null, ...access() }),
      await patch(api_slug, { workspace_access: null, ...access() }),
    ]
    for (const answer of answers) {
      if (status === 200) expect([answer.status, answer.body.data.workspace_access]).toEqual([200, null])
      else expectRefusal(answer, status, code)
    }
  })

  test('400 immutable_value for another parent object and for an unknown one', async () => {
    const { api_slug } = (await create()).body.data
    for (const parent_object of ['people', 'nothing', ['people'], ['companies', 'people'], []]) {
      expectRefusal(await patch(api_slug, { parent_object, name: 'x' }), 400, 'immutable_value')
    }
    expect((await request('GET', `/v2/lists/${api_slug}`)).body.data.name).toBe('A list')
  })

  test('404 for a deleted list, in every path', async () => {
    const { api_slug, id } = (await create()).body.data
    expect((await request('DELETE', `/v2/lists/${id.list_id}`)).body).toEqual({})
    for (const path of [`/v2/lists/${api_slug}`, `/v2/lists/${id.list_id}`]) {
      for (const below of ['', '/views', '/attributes'])
        expectRefusal(await request('GET', path + below), 404, 'not_found')
      expectRefusal(await request('PATCH', path, { data: { name: 'x' } }), 404, 'not_found')
      expectRefusal(await request('DELETE', path), 404, 'not_found')
      expectRefusal(await request('POST', `${path}/entries/query`, {}), 404, 'not_found')
    }
  })
})

describe('views', () => {
  const view = (path: string, members: object = {}) =>
    request('POST', `${path}/views`, { data: { title: 'A view', type: 'table', ...members } })

  test('200 in pages of at most 1000, whose cursors are valid only for the same request', async () => {
    await makeList(request, 'viewed')
    const path = '/v2/lists/viewed'
    const ids: string[] = []
    for (let index = 0; index < 5; index++) ids.push((await view(path)).body.data.id.view_id)
    const page = async (query: string) => (await request('GET', `${path}/views${query}`)).body
    const idsOf = ({ data }: { data: { id: { view_id: string } }[] }) => data.map(({ id }) => id.view_id)
    const walked: string[] = []
    for (let cursor = ''; ;) {
      const body = await page(`?limit=2${cursor && `&cursor=${cursor}`}`)
      walked.push(...idsOf(body))
      if (body.pagination.next_cursor === null) break
      cursor = body.pagination.next_cursor
    }
    expect(walked).toEqual(ids.toSorted())
    expect(idsOf(await page('?limit=1000'))).toEqual(walked)
    const { next_cursor: cursor } = (await page('?limit=2')).pagination
    const others = [
      `/v2/lists/viewed/views?limit=3&cursor=${cursor}`,
      `/v2/objects/people/views?limit=2&cursor=${cursor}`,
    ]
    others.push(`/v2/lists/viewed/views?limit=2&show_archived=true&cursor=${cursor}`)
    others.push(`/v2/lists/viewed/views?limit=2&cursor=${cursor}x`)
    for (const limit of ['0', '1001', 'x', '-1', '1.5']) others.push(`/v2/lists/viewed/views?limit=${limit}`)
    for (const other of others) expectRefusal(await request('GET', other), 400, 'validation_type')
  })

  test('200 with only the filter of a view, without its sorts and attributes', async () => {
    await makeList(request, 'sorted', [{ api_slug: 'score', type: 'number' }])
    const entries = entryClient(request, 'sorted')
    const person = recordIdOf(await createRecord(request, 'people', {}))
    const made: string[] = []
    for (const score of [1, 3, 2, 0]) made.push(entryIdOf(await entries.create(person, { score })))
    const { body } = await view('/v2/lists/sorted', {
      filter: { score: { $gte: 1 } },
      sorts: [{ attribute: 'score', direction: 'desc' }],
      visible_attributes: ['score'],
    })
    const { view_id: filter_view_id } = body.data.id
    const found = await entries.query({ filter_view_id })
    const ids = (answer: typeof found) =>
      answer.body.data.map((entry: { id: { entry_id: string } }) => entry.id.entry_id)
    expect(ids(found)).toEqual(made.slice(0, 3))
    expect(Object.keys(found.body.data[0].entry_values)).toContain('created_by')
    const sorts = [{ attribute: 'score', direction: 'asc' }]
    expect(ids(await entries.query({ filter_view_id, sorts, limit: 2, offset: 1 }))).toEqual([made[2], made[1]])
    for (const filter of [{}, { score: 1 }]) {
      expectRefusal(await entries.query({ filter_view_id, filter }), 400, 'validation_type')
    }
    expectRefusal(await entryClient(request, 'viewed').query({ filter_view_id }), 404, 'not_found')
    await request('PATCH', '/v2/lists/sorted/attributes/score', { data: { is_archived: true } })
    expectRefusal(await entries.query({ filter_view_id }), 400, 'unknown_filter_attribute_slug')
  })

  test('404 after the view or its list was deleted', async () => {
    await makeList(request, 'passing')
    const [one, other] = [(await view('/v2/lists/passing')).body.data, (await view('/v2/lists/passing')).body.data]
    expect((await request('DELETE', `/v2/lists/passing/views/${one.id.view_id}`)).status).toBe(200)
    const entries = entryClient(request, 'passing')
    expectRefusal(await entries.query({ filter_view_id: one.id.view_id }), 404, 'not_found')
    await request('DELETE', '/v2/lists/passing')
    expectRefusal(await request('GET', `/v2/lists/passing/views/${other.id.view_id}`), 404, 'not_found')
  })
})
