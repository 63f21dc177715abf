import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let list: string
beforeAll(async () => {
  list = await lists.listWith({ note: {} })
})

const entityTypes = () => [
  { path: '/v2/objects/companies', attribute: 'name', place: 'object_id' },
  { path: `/v2/lists/${list}`, attribute: 'note', place: 'list_id' },
]
const post = (path: string, members: object = {}) =>
  service.request('POST', `${path}/views`, { data: { title: 'A view', type: 'table', ...members } })
const titles = async (path: string, query = '') =>
  (await service.request('GET', `${path}/views${query}`)).body.data.map(({ title }: { title: string }) => title)

describe.each([0, 1])('views of an object or a list (%p)', (index) => {
  const owner = () => entityTypes()[index] ?? { path: '', attribute: '', place: '' }

  test('POST 200 stores attributes by id, GET 200 returns the same view', async () => {
    const { path, attribute, place } = owner()
    const members = {
      filter: { $or: [{ [attribute]: { $contains: 'x' } }, { $not: { [attribute]: 'y' } }] },
      sorts: [{ attribute, direction: 'desc' }],
      visible_attributes: [attribute, 'created_at'],
    }
    const { status, body } = await post(path, { ...members, type: 'board' })
    expect([status, body.message]).toEqual([200, undefined])
    const { id, filter, sorts, visible_attributes, type, is_archived } = body.data
    const attributeId = (await service.request('GET', `${path}/attributes/${attribute}`)).body.data.id.attribute_id
    expect(Object.keys(id)).toEqual(['workspace_id', place, 'view_id'])
    expect(filter).toEqual({
      $or: [{ [attributeId]: { $contains: 'x' } }, { $not: { [attributeId]: 'y' } }],
    })
    expect([sorts, visible_attributes[0]]).toEqual([[{ attribute: attributeId, direction: 'desc' }], attributeId])
    expect([type, is_archived]).toEqual(['board', false])
    expect((await service.request('GET', `${path}/views/${id.view_id}`)).body).toEqual(body)
  })

  test('GET 200 in pages in the order of ids, with archived views on request', async () => {
    const { path } = owner()
    const before = await titles(path)
    for (const title of ['1', '2', '3']) await post(path, { title })
    const first = await service.request('GET', `${path}/views?limit=${before.length + 1}`)
    const [{ id }] = first.body.data.slice(-1)
    await service.request('PATCH', `${path}/views/${id.view_id}`, { data: { is_archived: true } })
    expect(await titles(path)).toEqual([...before, '2', '3'])
    expect(await titles(path, '?show_archived=true')).toEqual([...before, '1', '2', '3'])
    const { next_cursor } = first.body.pagination
    const next = await service.request('GET', `${path}/views?limit=${before.length + 1}&cursor=${next_cursor}`)
    expect(next.body.data[0].title).toBe('2')
    expect((await service.request('GET', `${path}/views`)).body.pagination).toEqual({ next_cursor: null })
    for (const cursor of [next_cursor, 'x']) {
      const { status, body } = await service.request('GET', `${path}/views?limit=7&cursor=${cursor}`)
      expect([status, body.code]).toEqual([400, 'validation_type'])
    }
  })

  test('PATCH 200 changes the members of the request, DELETE 200, then 404', async () => {
    const { path, attribute } = owner()
    const created = await post(path, { filter: { [attribute]: 'x' } })
    const view = `${path}/views/${created.body.data.id.view_id}`
    const { status, body } = await service.request('PATCH', view, { data: { title: 'New', visible_attributes: null } })
    expect([status, body.data]).toEqual([200, { ...created.body.data, title: 'New' }])
    expect((await service.request('PATCH', view, { data: {} })).status).toBe(400)
    expect((await service.request('DELETE', view)).body).toEqual({})
    for (const method of ['GET', 'DELETE'] as const) expect((await service.request(method, view)).status).toBe(404)
    expect((await service.request('PATCH', view, { data: { title: 'x' } })).status).toBe(404)
  })

  const refused: [string, object, number, string][] = [
    ['an empty title', { title: ' ' }, 400, 'validation_type'],
    ['an unknown type', { type: 'calendar' }, 400, 'validation_type'],
    ['an unknown attribute in its filter', { filter: { nothing: 1 } }, 400, 'unknown_filter_attribute_slug'],
    ['an unknown attribute in its sorts', { sorts: [{ attribute: 'x', direction: 'asc' }] }, 400, 'value_not_found'],
    ['an unknown visible attribute', { visible_attributes: ['nothing'] }, 400, 'value_not_found'],
  ]
  test.each(refused)('400 for %s', async (_, members, status, code) => {
    const answer = await post(owner().path, members)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('404 for a view of another entity type, 400 for an id that is not a UUID', async () => {
    const { path } = owner()
    const elsewhere = entityTypes()[1 - index]?.path ?? ''
    const { view_id } = (await post(elsewhere)).body.data.id
    expect((await service.request('GET', `${path}/views/${view_id}`)).status).toBe(404)
    expect((await service.request('GET', `${path}/views/x`)).status).toBe(400)
  })
})

describe('filter_view_id', () => {
  test('200 with only the filter of the view, also after an attribute was renamed', async () => {
    const person = await lists.record('people', { name: 'Lovelace, Ada' })
    const entry = await lists.entry(list, person, { note: 'wanted' })
    await lists.entry(list, person, { note: 'other' })
    const path = {
      path: [
        [list, 'parent_record'],
        ['people', 'name'],
      ],
      constraints: { last_name: 'Lovelace' },
    }
    const { body } = await post(`/v2/lists/${list}`, {
      filter: { $and: [{ note: 'wanted' }, path] },
      sorts: [{ attribute: 'note', direction: 'desc' }],
    })
    const { view_id: filter_view_id } = body.data.id
    await service.request('PATCH', `/v2/lists/${list}/attributes/note`, { data: { api_slug: 'remark' } })
    await service.request('PATCH', `/v2/lists/${list}`, { data: { api_slug: 'renamed' } })
    list = 'renamed'
    const found = await lists.query(list, { filter_view_id })
    expect(found.body.data.map(({ id }: { id: { entry_id: string } }) => id.entry_id)).toEqual([entry])
    const { status, body: both } = await lists.query(list, { filter_view_id, filter: {} })
    expect([status, both.code]).toEqual([400, 'validation_type'])
    await service.request('PATCH', `/v2/lists/${list}/attributes/remark`, { data: { api_slug: 'note' } })
  })

  test('200 for a view of this object, 404 for a view of another entity type', async () => {
    const ada = await lists.record('companies', { name: 'Analytical Engines' })
    await lists.record('companies', { name: 'Difference Engines' })
    const { view_id: filter_view_id } = (
      await post('/v2/objects/companies', { filter: { name: 'Analytical Engines' } })
    ).body.data.id
    const query = (object: string) => service.request('POST', `/v2/objects/${object}/records/query`, { filter_view_id })
    const { body } = await query('companies')
    expect(body.data.map(({ id }: { id: { record_id: string } }) => id.record_id)).toEqual([ada])
    expect((await query('people')).status).toBe(404)
  })
})
