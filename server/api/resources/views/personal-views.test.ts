/** Personal views and boards. See docs/reference/views.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
const ada = usePerson(service)
const bob = usePerson(service, 'member')
let list: string
beforeAll(async () => {
  list = await lists.list({
    workspace_access: 'read-only',
    workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
  })
})

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A request of a member at the console. */
const v2 = (person: Person, method: Method, path: string, data?: object) =>
  person.ask(method, `/console/v2${path}`, data)
const save = (person: Person, path: string, members: object = {}) =>
  v2(person, 'POST', `${path}/views`, { data: { title: 'Mine', type: 'table', is_personal: true, ...members } })
const titles = async (person: Person, path: string) =>
  (await v2(person, 'GET', `${path}/views`)).body.data.map(({ title }: { title: string }) => title)

describe('a personal view', () => {
  test('200 for its member only; 404 for other members and for keys', async () => {
    const path = '/objects/companies'
    const { status, body } = await save(bob, path, { title: 'Of Bob', filter: { name: 'x' } })
    expect([status, body.data?.is_personal]).toEqual([200, true])
    const { view_id } = body.data.id
    expect(await titles(bob, path)).toContain('Of Bob')
    expect(await titles(ada, path)).not.toContain('Of Bob')
    const view = `${path}/views/${view_id}`
    expect((await v2(bob, 'GET', view)).body.data).toEqual(body.data)
    for (const [method, data] of [
      ['GET', undefined],
      ['PATCH', { data: { title: 'x' } }],
      ['DELETE', undefined],
    ] as const) {
      expect((await v2(ada, method, view, data)).status).toBe(404)
      expect((await service.request(method, `/v2${view}`, data)).status).toBe(404)
    }
    const used = { filter_view_id: view_id }
    expect((await v2(bob, 'POST', `${path}/records/query`, used)).status).toBe(200)
    expect((await v2(ada, 'POST', `${path}/records/query`, used)).status).toBe(404)
    expect((await v2(bob, 'DELETE', view)).body).toEqual({})
  })

  test('200 of a list that the member may only read; sharing it is 403', async () => {
    const { status, body } = await save(bob, `/lists/${list}`)
    expect(status).toBe(200)
    const view = `/lists/${list}/views/${body.data.id.view_id}`
    expect((await v2(bob, 'PATCH', view, { data: { title: 'Mine, too' } })).status).toBe(200)
    expect((await v2(bob, 'PATCH', view, { data: { is_personal: false } })).status).toBe(403)
    expect((await v2(bob, 'DELETE', view)).status).toBe(200)
    expect((await save(bob, `/lists/${list}`, { is_personal: false })).status).toBe(403)
  })

  test('200 when it is shared, and when a shared one becomes personal', async () => {
    const path = '/objects/people'
    const { view_id } = (await save(bob, path, { title: 'Turns' })).body.data.id
    const shared = await v2(bob, 'PATCH', `${path}/views/${view_id}`, { data: { is_personal: false } })
    expect(shared.body.data.is_personal).toBe(false)
    expect(await titles(ada, path)).toContain('Turns')
    await v2(ada, 'PATCH', `${path}/views/${view_id}`, { data: { is_personal: true } })
    expect(await titles(bob, path)).not.toContain('Turns')
  })

  test('400 for a key', async () => {
    const data = { title: 'x', type: 'table', is_personal: true }
    const { status, body } = await service.request('POST', '/v2/objects/people/views', { data })
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })
})

describe('a board', () => {
  const post = (path: string, members: object) =>
    service.request('POST', `${path}/views`, { data: { title: 'Board', type: 'board', ...members } })

  test('200 stores its attributes by id', async () => {
    const { body } = await post('/v2/objects/deals', { board: { attribute: 'stage', sum_attribute: 'value' } })
    const idOf = async (slug: string) =>
      (await service.request('GET', `/v2/objects/deals/attributes/${slug}`)).body.data.id.attribute_id
    const board = { attribute: await idOf('stage'), sum_attribute: await idOf('value') }
    expect(body.data).toMatchObject({ type: 'board', board, is_personal: false })
    const view = `/v2/objects/deals/views/${body.data.id.view_id}`
    const changed = await service.request('PATCH', view, { data: { board: { attribute: 'stage' } } })
    expect(changed.body.data.board).toEqual({ attribute: board.attribute, sum_attribute: null })
    expect((await service.request('PATCH', view, { data: { board: null } })).body.data.board).toBeNull()
  })

  const refused: [string, unknown, string][] = [
    ['an attribute without options', { attribute: 'name' }, 'validation_type'],
    ['several values', { attribute: 'categories' }, 'validation_type'],
    ['an unknown attribute', { attribute: 'nothing' }, 'value_not_found'],
    ['a sum without numbers', { attribute: 'employee_range', sum_attribute: 'name' }, 'validation_type'],
    ['no attribute', {}, 'validation_type'],
    ['a text', 'stage', 'validation_type'],
  ]
  test.each(refused)('400 for %s', async (_, board, code) => {
    const { status, body } = await post('/v2/objects/companies', { board })
    expect([status, body.code]).toEqual([400, code])
  })

  test('200 for attributes of the parent records in a view of a list; 400 for unknown ones and in views of objects', async () => {
    const visible_attributes = ['parent_record', 'parent_record.name']
    const { body } = await post(`/v2/lists/${list}`, { visible_attributes })
    const { attribute_id } = (await service.request('GET', '/v2/objects/people/attributes/name')).body.data.id
    expect(body.data.visible_attributes[1]).toBe(`parent_record.${attribute_id}`)
    const unknown = await post(`/v2/lists/${list}`, { visible_attributes: ['parent_record.nothing'] })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'value_not_found'])
    expect((await post('/v2/objects/people', { visible_attributes: ['parent_record.name'] })).status).toBe(400)
  })

  test('200 for attributes of referenced records, by slug and by id; 400 for unknown ones and without a reference', async () => {
    const idOf = async (path: string) => (await service.request('GET', `/v2/objects/${path}`)).body.data.id.attribute_id
    const column = `${await idOf('people/attributes/company')}.${await idOf('companies/attributes/categories')}`
    for (const name of ['company.categories', column]) {
      const { status, body } = await post('/v2/objects/people', { visible_attributes: ['name', name] })
      expect([status, body.data?.visible_attributes[1]]).toEqual([200, column])
    }
    const names = [
      'company.nothing',
      'nothing.categories',
      'job_title.categories',
      'company.',
      '.name',
      'company.id.id',
    ]
    for (const name of names) {
      const { status, body } = await post('/v2/objects/people', { visible_attributes: [name] })
      expect([name, status, body.code]).toEqual([name, 400, 'value_not_found'])
    }
  })
})

describe('groups and the default', () => {
  const path = '/v2/objects/deals'
  const post = (members: object) =>
    service.request('POST', `${path}/views`, { data: { title: 'A view', type: 'table', ...members } })
  const defaults = async () =>
    (await service.request('GET', `${path}/views`)).body.data
      .filter(({ is_default }: { is_default: boolean }) => is_default)
      .map(({ id }: { id: { view_id: string } }) => id.view_id)

  test('200 stores the attribute of the groups by id, and changes it', async () => {
    const { body } = await post({ group_by: 'stage' })
    const { attribute_id } = (await service.request('GET', `${path}/attributes/stage`)).body.data.id
    expect(body.data.group_by).toBe(attribute_id)
    const view = `${path}/views/${body.data.id.view_id}`
    expect((await service.request('PATCH', view, { data: { title: 'Other' } })).body.data.group_by).toBe(attribute_id)
    expect((await service.request('PATCH', view, { data: { group_by: null } })).body.data.group_by).toBeNull()
  })

  test('400 for an attribute that has no groups, and for an unknown one', async () => {
    expect((await post({ group_by: 'value' })).status).toBe(400)
    expect((await post({ group_by: 'nothing' })).body.code).toBe('value_not_found')
  })

  test('200 along a reference, by the ids of both attributes; 400 for what has no groups there', async () => {
    const along = await post({ group_by: 'associated_company.categories' })
    expect([along.status, along.body.data.group_by]).toEqual([
      200,
      expect.stringMatching(/^[0-9a-f-]{36}\.[0-9a-f-]{36}$/),
    ])
    const stored = { ...along.body.data, title: 'By the same ids' }
    expect((await post({ title: stored.title, group_by: stored.group_by })).body.data.group_by).toBe(stored.group_by)
    expect((await post({ group_by: 'associated_company.funding_raised_usd' })).status).toBe(400)
    expect((await post({ group_by: 'associated_company.nothing' })).body.code).toBe('value_not_found')
  })

  test('200 for one default at most, which ends when the view is archived or becomes personal', async () => {
    const first = (await post({ is_default: true })).body.data.id.view_id
    expect(await defaults()).toEqual([first])
    const second = (await post({ title: 'Second' })).body.data.id.view_id
    const change = (id: string, data: object, who = service.request) => who('PATCH', `${path}/views/${id}`, { data })
    await change(second, { is_default: true })
    expect(await defaults()).toEqual([second])
    await change(second, { is_archived: true })
    await change(second, { is_archived: false })
    expect(await defaults()).toEqual([])
    await change(first, { is_default: true })
    await v2(ada, 'PATCH', `/objects/deals/views/${first}`, { data: { is_personal: true } })
    expect(await defaults()).toEqual([])
    expect((await v2(ada, 'PATCH', `/objects/deals/views/${first}`, { data: { is_default: true } })).status).toBe(400)
    expect((await save(ada, '/objects/deals', { is_default: true })).status).toBe(400)
  })
})
