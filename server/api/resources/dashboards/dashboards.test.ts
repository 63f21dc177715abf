/** See docs/reference/dashboards.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
const ada = usePerson(service)
const bob = usePerson(service, 'member')
let list: string
let secret: string
beforeAll(async () => {
  list = await lists.listWith({ stage: { type: 'status' }, note: {} })
  const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  secret = await lists.list({ workspace_access: null, workspace_member_access })
})

const place = { column: 0, row: 0, width: 6, height: 4 }
const bars = (members: object = {}) => ({
  title: 'Companies by month',
  kind: 'bars',
  source: { object: 'companies' },
  group_by: { attribute: 'created_at', step: 'month' },
  place,
  ...members,
})
const PATH = '/v2/dashboards'
const post = (members: object) => service.request('POST', PATH, { data: { title: 'Sales', ...members } })
const as = (person: Person, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, data?: object) =>
  person.ask(method, `/console${path}`, data && { data })
const idIn = ({ body }: { body: { data: { id: { dashboard_id: string } } } }) => `${PATH}/${body.data.id.dashboard_id}`
const attributeId = async (path: string, slug: string) =>
  (await service.request('GET', `${path}/attributes/${slug}`)).body.data.id.attribute_id

describe('a dashboard', () => {
  test('200 stores objects, lists and attributes by id', async () => {
    const filter = { $or: [{ name: { $contains: 'x' } }, { $not: { name: 'y' } }] }
    const funnel = { title: 'Funnel', kind: 'funnel', source: { list }, attribute: 'stage', place }
    const chart = bars({
      filter,
      aggregates: [{ function: 'count' }, { function: 'filled', attribute: 'name' }],
      split_by: 'created_by',
      owner_attribute: 'created_by',
      time_attribute: 'created_at',
    })
    const { status, body } = await post({ charts: [chart, funnel] })
    expect([status, body.message]).toEqual([200, undefined])
    const ofCompanies = (slug: string) => attributeId('/v2/objects/companies', slug)
    const [name, created_at, created_by] = await Promise.all(['name', 'created_at', 'created_by'].map(ofCompanies))
    const [first, second] = body.data.charts
    const { id } = (await service.request('GET', '/v2/objects/companies')).body.data
    expect(first).toMatchObject({
      source: { object: id.object_id },
      filter: { $or: [{ [name]: { $contains: 'x' } }, { $not: { [name]: 'y' } }] },
      aggregates: [{ function: 'count' }, { function: 'filled', attribute: name }],
      group_by: { attribute: created_at, step: 'month' },
      split_by: { attribute: created_by },
      owner_attribute: created_by,
      time_attribute: created_at,
    })
    expect(second.attribute).toBe(await attributeId(`/v2/lists/${list}`, 'stage'))
    expect([body.data.is_personal, body.data.hidden_charts]).toEqual([false, 0])
    expect((await service.request('GET', `${PATH}/${body.data.id.dashboard_id}`)).body).toEqual(body)
    const { charts: _, hidden_charts: __, ...item } = body.data
    expect((await service.request('GET', PATH)).body.data).toContainEqual(item)
  })

  test('200 for a change of some members, and of charts by their ids; then 404 after its deletion', async () => {
    const made = await post({ charts: [bars()] })
    const path = idIn(made)
    const renamed = await service.request('PATCH', path, { data: { title: 'New' } })
    expect(renamed.body.data).toMatchObject({ title: 'New', charts: made.body.data.charts })
    const [chart] = made.body.data.charts
    const moved = { ...chart, place: { ...place, column: 6 } }
    const { body } = await service.request('PATCH', path, { data: { charts: [moved, bars({ title: 'Other' })] } })
    expect(body.data.charts[0]).toEqual(moved)
    expect(body.data.charts[1]).toMatchObject({ title: 'Other', id: expect.not.stringMatching(chart.id) })
    expect((await service.request('DELETE', path)).body).toEqual({})
    expect((await service.request('GET', path)).status).toBe(404)
    expect((await service.request('PATCH', path, { data: { title: 'x' } })).status).toBe(404)
    expect((await service.request('DELETE', path)).status).toBe(404)
  })

  test('200 when a chart moves whose attribute was archived; 400 when its definition changes', async () => {
    const made = await post({ charts: [{ ...bars(), source: { list }, group_by: 'note' }] })
    await service.request('PATCH', `/v2/lists/${list}/attributes/note`, { data: { is_archived: true } })
    const [chart] = made.body.data.charts
    const change = (members: object) =>
      service.request('PATCH', idIn(made), { data: { charts: [{ ...chart, ...members }] } })
    expect((await change({ title: 'Moved', place: { ...place, row: 9 } })).status).toBe(200)
    expect((await change({ kind: 'lines' })).status).toBe(400)
    await service.request('PATCH', `/v2/lists/${list}/attributes/note`, { data: { is_archived: false } })
  })

  test('200 for a saved query', async () => {
    const chart = { title: 'SQL', kind: 'lines', source: { saved_query_id: crypto.randomUUID() }, place }
    expect((await post({ charts: [chart] })).body.data.charts[0]).toMatchObject(chart)
  })

  const refused: [string, object, string][] = [
    ['an unknown kind', bars({ kind: 'pie' }), 'validation_type'],
    ['an unknown member', bars({ colour: 'red' }), 'validation_type'],
    ['no group of bars', { ...bars(), group_by: undefined }, 'validation_type'],
    ['an unknown attribute', bars({ group_by: 'nothing' }), 'value_not_found'],
    ['a sum of names', bars({ aggregates: [{ function: 'sum', attribute: 'name' }] }), 'validation_type'],
    ['an unknown attribute in its filter', bars({ filter: { nothing: 1 } }), 'unknown_filter_attribute_slug'],
    ['times without times', bars({ time_attribute: 'name' }), 'validation_type'],
    [
      'times of interactions',
      bars({ source: { object: 'people' }, time_attribute: 'last_interaction' }),
      'validation_type',
    ],
    ['an owner that is no member', bars({ owner_attribute: 'name' }), 'validation_type'],
    ['a funnel without statuses', { ...bars(), kind: 'funnel', group_by: undefined }, 'validation_type'],
    ['a funnel of names', { title: 'x', kind: 'funnel', source: { object: 'companies' }, attribute: 'name', place }, 'validation_type'], // prettier-ignore
    ['a funnel with groups', bars({ kind: 'funnel' }), 'validation_type'],
    ['statuses of bars', bars({ attribute: 'name' }), 'validation_type'],
    ['a filter of a saved query', { title: 'x', kind: 'bars', source: { saved_query_id: crypto.randomUUID() }, filter: {}, place }, 'validation_type'], // prettier-ignore
    ['two sources', bars({ source: { object: 'companies', list: 'x' } }), 'validation_type'],
    ['a place beyond the grid', bars({ place: { ...place, column: 7 } }), 'validation_type'],
    ['an unknown object', bars({ source: { object: 'nothing' } }), 'not_found'],
    ['an unknown list', bars({ source: { list: 'nothing' } }), 'not_found'],
  ]
  test.each(refused)('400 or 404 for %s', async (_, chart, code) => {
    const { status, body } = await post({ charts: [chart] })
    expect([status, body.code]).toEqual([code === 'not_found' ? 404 : 400, code])
  })

  test('400 for an empty change, a blank title, too many charts and two charts with one id', async () => {
    const path = idIn(await post({}))
    const id = crypto.randomUUID()
    for (const data of [
      {},
      { title: ' ' },
      { charts: Array.from({ length: 51 }, () => bars()) },
      { charts: [bars({ id }), bars({ id })] },
    ])
      expect((await service.request('PATCH', path, { data })).status).toBe(400)
    expect((await service.request('GET', `${PATH}/x`)).status).toBe(400)
  })
})

describe('the version of a dashboard', () => {
  test('412 for a change of another version, and 200 for one of the version that was read', async () => {
    const path = idIn(await post({ charts: [bars()] }))
    const patch = (data: object, tag?: string) =>
      service.request('PATCH', path, { data }, tag === undefined ? {} : { headers: { 'If-Match': tag } })
    const etag = (await service.request('GET', path)).headers.get('etag') ?? ''
    expect(etag).toBe('"1"')
    const changed = await patch({ charts: [] }, etag)
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"'])
    const late = await patch({ charts: [bars(), bars()] }, etag)
    expect([late.status, late.body.code]).toEqual([412, 'version_conflict'])
    expect((await service.request('GET', path)).body.data.charts).toEqual([])
    expect((await patch({ title: 'Without a version' })).headers.get('etag')).toBe('"3"')
  })

  test('200 for changes at once, of which none is lost', async () => {
    const path = idIn(await post({}))
    const titles = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(titles.map((title) => service.request('PATCH', path, { data: { title } })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await service.request('GET', path)).headers.get('etag')).toBe('"5"')
  })
})

describe('access', () => {
  test('a personal dashboard is visible to its member only', async () => {
    const made = await as(bob, 'POST', PATH, { title: 'Of Bob', is_personal: true, charts: [bars()] })
    expect([made.status, made.body.data?.is_personal]).toEqual([200, true])
    const path = idIn(made)
    expect((await as(bob, 'GET', path)).body).toEqual(made.body)
    for (const [method, data] of [
      ['GET', undefined],
      ['PATCH', { title: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      expect((await as(ada, method, path, data)).status).toBe(404)
      expect((await service.request(method, path, data && { data })).status).toBe(404)
    }
    expect((await as(ada, 'GET', PATH)).body.data).not.toContainEqual(expect.objectContaining({ title: 'Of Bob' }))
    await as(bob, 'PATCH', path, { is_personal: false })
    expect((await as(ada, 'GET', path)).status).toBe(200)
    const personal = await post({ is_personal: true })
    expect([personal.status, personal.body.code]).toEqual([400, 'validation_type'])
  })

  test('a member does not see charts of a list that is not shared, and keeps them', async () => {
    const hidden = bars({ title: 'Secret', source: { list: secret } })
    const made = await post({ charts: [bars(), hidden] })
    const path = idIn(made)
    const seen = (await as(bob, 'GET', path)).body
    expect([seen.data.charts.map(({ title }: { title: string }) => title), seen.data.hidden_charts]).toEqual([
      ['Companies by month'],
      1,
    ])
    const [, { id }] = made.body.data.charts
    await as(bob, 'PATCH', path, { charts: [bars({ id, title: 'Mine' })] })
    const { body } = await service.request('GET', path)
    expect(body.data.charts.map(({ title }: { title: string }) => title)).toEqual(['Mine', 'Secret'])
    expect(new Set(body.data.charts.map((chart: { id: string }) => chart.id)).size).toBe(2)
    expect((await as(bob, 'POST', PATH, { title: 'x', charts: [hidden] })).status).toBe(404)
  })

  test('a member does not see charts of a hidden object, nor filters by its records', async () => {
    const company = await lists.record('companies', { name: 'Hidden' })
    const named = { title: 'Named', kind: 'figure', source: { object: 'people' }, filter: { company: { target_record_id: company } }, place } // prettier-ignore
    const path = idIn(await post({ charts: [bars(), named] }))
    const access = `/console/api/workspaces/${service.workspaceId}/objects/companies/access`
    await ada.ask('PUT', access, { members: 'hidden', teams: [] })
    const { body } = await as(bob, 'GET', path)
    expect([body.data.charts, body.data.hidden_charts]).toEqual([[], 2])
    await ada.ask('PUT', access, { members: 'read-write', teams: [] })
    expect((await as(bob, 'GET', path)).body.data.hidden_charts).toBe(0)
  })

  test('404 for a dashboard of another workspace', async () => {
    const path = idIn(await post({}))
    const { key } = await service.anotherWorkspace()
    for (const method of ['GET', 'DELETE'] as const)
      expect((await service.request(method, path, undefined, { key })).status).toBe(404)
  })
})
