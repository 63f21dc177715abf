/** Aggregates over entries, and groups by references to records. See docs/reference/query.md (Aggregates). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { type Person, signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
const lists = listClient(service)
/** The slugs of two objects, and of a list of records of the first one. */
let ships: string
let ports: string
let visits: string
const ids: Record<string, string> = {}

beforeAll(async () => {
  ships = await api.object()
  ports = await api.object()
  const reference = async (api_slug: string, is_multiselect: boolean, allowed_objects: string[], more: object = {}) => {
    const config = { record_reference: { allowed_objects } }
    const input = attributeInput({ api_slug, type: 'record-reference', is_multiselect, config, ...more })
    expect((await api.create(ships, input)).status).toBe(200)
  }
  const relationship = { object: ports, title: 'Ships', api_slug: 'ships', is_multiselect: true }
  await reference('home', false, [ports], { relationship })
  await reference('calls', true, [ports])
  await reference('seen_with', true, [ports, 'people'])
  await api.create(ships, attributeInput({ api_slug: 'tons', type: 'number' }))
  await api.create(ports, attributeInput({ api_slug: 'sea', type: 'text' }))
  await api.create(ports, attributeInput({ api_slug: 'depth', type: 'number' }))
  await api.create(ports, attributeInput({ api_slug: 'opened', type: 'date' }))
  await api.create(ports, attributeInput({ api_slug: 'cargoes', type: 'select', is_multiselect: true, config: { options: [{ title: 'Coal' }, { title: 'Grain' }] } })) // prettier-ignore
  ids.kiel = await api.record(ports, { sea: 'Baltic', depth: 12, opened: '1865-05-01', cargoes: ['Coal', 'Grain'] })
  ids.genoa = await api.record(ports, { sea: 'Mediterranean', depth: 15 })
  ids.ada = await api.record('people', {})
  const { kiel, genoa, ada } = ids
  const together = [port(kiel), { target_object: 'people', target_record_id: ada }]
  ids.brig = await api.record(ships, { home: kiel, calls: [kiel, genoa], tons: 200, seen_with: together })
  ids.barque = await api.record(ships, { home: kiel, calls: [kiel], tons: 900, seen_with: [port(genoa)] })
  ids.cutter = await api.record(ships, { tons: 40 })
  await seedVisits()
})

const port = (id: string | undefined) => ({ target_object: ports, target_record_id: id })

async function seedVisits(): Promise<void> {
  visits = await lists.list({ parent_object: ships })
  await lists.attribute(visits, 'cargo', { type: 'number' })
  await lists.attribute(visits, 'purpose', { type: 'select' })
  for (const title of ['Load', 'Unload']) {
    await service.request('POST', `/v2/lists/${visits}/attributes/purpose/options`, { data: { title } })
  }
  for (const [ship, entry_values] of [
    ['brig', { cargo: 0.1, purpose: 'Load' }],
    ['brig', { cargo: 0.2, purpose: 'Load' }],
    ['barque', { cargo: 7, purpose: 'Unload' }],
    ['cutter', {}],
  ] as const) {
    const data = { parent_object: ships, parent_record_id: ids[ship], entry_values }
    expect((await service.request('POST', `/v2/lists/${visits}/entries`, { data })).status).toBe(200)
  }
}

const ofShips = (body: object) => service.request('POST', `/v2/objects/${ships}/records/aggregate`, body)
const ofVisits = (body: object) => service.request('POST', `/v2/lists/${visits}/entries/aggregate`, body)

interface Group {
  readonly value: { readonly target_record_id?: string; readonly option?: { readonly title: string } } | null
  readonly total: number
}
/** The title or the record of each group, with its number. */
const groupsIn = ({ body }: { body: { data: { groups: readonly Group[] } } }): unknown[] =>
  body.data.groups.map(({ value, total }) => [value?.target_record_id ?? value?.option?.title ?? null, total])

describe('POST /v2/lists/{list}/entries/aggregate', () => {
  test('200 with the total without aggregates', async () => {
    const { status, body } = await ofVisits({})
    expect([status, body]).toEqual([200, { data: { total: 4, aggregates: [] } }])
  })

  test.each([
    ['cargo', 'sum', {}, 7.3],
    ['cargo', 'average', { purpose: 'Load' }, 0.15],
    ['cargo', 'min', {}, 0.1],
    ['cargo', 'max', { purpose: 'Load' }, 0.2],
    ['cargo', 'sum', { cargo: { $gt: 100 } }, null],
    ['cargo', 'filled', {}, 3],
    ['purpose', 'empty', {}, 1],
    ['parent_record', 'filled', {}, 4],
    ['created_at', 'count', { purpose: 'Load' }, 2],
  ])('200: of %s, %s where %j is %p', async (attribute, fn, filter, value) => {
    const { status, body } = await ofVisits({ filter, aggregates: [{ attribute, function: fn }] })
    expect([status, body.data?.aggregates]).toEqual([200, [{ attribute, function: fn, value }]])
  })

  test('200 of what a path over the parent record finds', async () => {
    const path = (slug: string, constraints: unknown) => ({
      path: [
        [visits, 'parent_record'],
        [ships, slug],
      ],
      constraints,
    })
    const sum = async (filter: object) =>
      (await ofVisits({ filter, aggregates: [{ attribute: 'cargo', function: 'sum' }] })).body.data
    expect(await sum(path('tons', { $lt: 500 }))).toMatchObject({ total: 3, aggregates: [{ value: 0.3 }] })
    expect(await sum({ $not: path('home', { $not_empty: true }) })).toMatchObject({
      total: 1,
      aggregates: [{ value: null }],
    })
  })

  test('200 by option and by parent record, the largest group first', async () => {
    const byOption = groupsIn(await ofVisits({ group_by: 'purpose' }))
    expect(byOption[0]).toEqual(['Load', 2])
    expect(byOption).toContainEqual(['Unload', 1])
    expect(byOption).toContainEqual([null, 1])
    const byParent = groupsIn(await ofVisits({ group_by: 'parent_record' }))
    expect(byParent[0]).toEqual([ids.brig, 2])
    expect(byParent).toHaveLength(3)
    expect(byParent).toContainEqual([ids.barque, 1])
    expect(byParent).toContainEqual([ids.cutter, 1])
  })

  test('200 with the filter of a view, and the sum that a query answers', async () => {
    const filter = { purpose: 'Load' }
    const view = { title: 'Loads', type: 'table', filter, sorts: [], visible_attributes: null }
    const made = await service.request('POST', `/v2/lists/${visits}/views`, { data: view })
    const aggregates = [{ attribute: 'cargo', function: 'sum' }]
    const { body } = await ofVisits({ filter_view_id: made.body.data.id.view_id, aggregates })
    expect(body.data).toEqual({ total: 2, aggregates: [{ attribute: 'cargo', function: 'sum', value: 0.3 }] })
    const query = await lists.query(visits, { filter, sum: 'cargo', include_count: true })
    expect(query.body.pagination).toEqual({ total: 2, sum: 0.3 })
  })

  test.each([
    [{ aggregates: [{ attribute: 'tons', function: 'sum' }] }, 'value_not_found'],
    [{ aggregates: [{ attribute: 'parent_record', function: 'sum' }] }, 'validation_type'],
    [{ group_by: 'cargo' }, 'validation_type'],
    [{ filter: { tons: 1 } }, 'unknown_filter_attribute_slug'],
  ])('400 for %j', async (body, code) => {
    const answer = await ofVisits(body)
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('404 for an unknown list, and for one that is not shared with the member', async () => {
    expect((await service.request('POST', '/v2/lists/nothing/entries/aggregate', {})).status).toBe(404)
    const members = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const secret = await lists.list({ workspace_access: null, workspace_member_access: members })
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    expect((await member.ask('POST', `/console/v2/lists/${secret}/entries/aggregate`, {})).status).toBe(404)
    expect((await member.ask('POST', `/console/v2/lists/${visits}/entries/aggregate`, {})).status).toBe(200)
  })
})

describe('groups by references', () => {
  test('200 by a reference to one record, with those that refer to none', async () => {
    const { body } = await ofShips({ group_by: 'home', aggregates: [{ attribute: 'home', function: 'filled' }] })
    expect(body.data.aggregates).toEqual([{ attribute: 'home', function: 'filled', value: 2 }])
    expect(body.data.groups).toMatchObject([
      { value: port(ids.kiel), total: 2 },
      { value: null, total: 1 },
    ])
  })

  test('200 by references to several records: a record is in the group of each', async () => {
    const groups = groupsIn(await ofShips({ group_by: 'calls' }))
    expect(groups[0]).toEqual([ids.kiel, 2])
    expect(groups.slice(1)).toHaveLength(2)
    expect(groups).toContainEqual([ids.genoa, 1])
    expect(groups).toContainEqual([null, 1])
  })

  test('200 by references to several objects', async () => {
    const { body } = await ofShips({ group_by: 'seen_with' })
    const objects = body.data.groups.map(
      ({ value }: { value: { target_object: string } | null }) => value?.target_object,
    )
    expect(objects.filter((object: string | undefined) => object === ports)).toHaveLength(2)
    expect(objects).toContain('people')
  })

  test('400 for the derived side of a relationship, whose filled values can be counted', async () => {
    const path = `/v2/objects/${ports}/records/aggregate`
    const refused = await service.request('POST', path, { group_by: 'ships' })
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_type'])
    const aggregates = [{ attribute: 'ships', function: 'filled' }]
    expect((await service.request('POST', path, { aggregates })).body.data.aggregates[0].value).toBe(1)
  })

  test('references to records of a hidden object are in no group of a member', async () => {
    const admin = await signedIn(service)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const root = `/console/api/workspaces/${service.workspaceId}/objects/${ports}/access`
    await admin.ask('PUT', root, { members: 'hidden', teams: [] })
    const groups = async (by: Person) =>
      groupsIn(await by.ask('POST', `/console/v2/objects/${ships}/records/aggregate`, { group_by: 'seen_with' }))
    expect(await groups(member)).toEqual([
      [null, 2],
      [ids.ada, 1],
    ])
    expect(await groups(admin)).toHaveLength(4)
    const hidden = await member.ask('POST', `/console/v2/objects/${ships}/records/aggregate`, { group_by: 'home' })
    expect([hidden.status, JSON.stringify(hidden.body).includes(ids.kiel ?? '')]).toEqual([400, false])
    await admin.ask('PUT', root, { members: 'read-write', teams: [] })
  })
})

describe('attributes of referenced records', () => {
  const home = (slug: string) => ({ path: [[ships, 'home'], [ports, slug]] }) // prettier-ignore
  const values = ({
    body,
  }: {
    body: { data: { groups: readonly { value: object | null; total: number; aggregate_values?: unknown }[] } }
  }) =>
    body.data.groups.map(({ value, total, aggregate_values }) => [
      value && Object.values(value)[0],
      total,
      aggregate_values,
    ])

  test('200 with aggregates over the first referenced record of each', async () => {
    const functions = ['sum', 'average', 'min', 'filled', 'empty'] as const
    const aggregates = functions.map((fn) => ({ ...home('depth'), function: fn }))
    const { status, body } = await ofShips({ aggregates })
    expect([status, body.data?.aggregates.map(({ value }: { value: unknown }) => value)]).toEqual([
      200,
      [24, 12, 12, 2, 1],
    ])
    expect(body.data.aggregates[0].path).toEqual(home('depth').path)
    const first = { path: [[ships, 'calls'], [ports, 'depth']], function: 'max' } // prettier-ignore
    expect((await ofShips({ aggregates: [first] })).body.data.aggregates[0].value).toBe(12)
    // The record that a record refers to is the other side, too: a port has the ship that was added last.
    const ofPorts = { aggregates: [{ path: [[ports, 'ships'], [ships, 'tons']], function: 'sum' }] } // prettier-ignore
    const { body: derived } = await service.request('POST', `/v2/objects/${ports}/records/aggregate`, ofPorts)
    expect(derived.data.aggregates[0].value).toBe(900)
  })

  test('200 by text, by period and by option of the referenced record, with both kinds of aggregates', async () => {
    const aggregates = [
      { attribute: 'tons', function: 'sum' },
      { ...home('depth'), function: 'average' },
      { ...home('depth'), function: 'filled' },
    ]
    const bySea = await ofShips({ group_by: home('sea'), aggregates })
    expect(bySea.status).toBe(200)
    expect(values(bySea)).toEqual([['Baltic', 2, [1100, 12, 2]], [null, 1, [40, null, 0]]]) // prettier-ignore
    const byYear = await ofShips({ group_by: { ...home('opened'), step: 'year' }, split_by: home('sea'), aggregates })
    expect(values(byYear)).toContainEqual(['1865-01-01', 2, [1100, 12, 2]])
    expect(byYear.body.data.groups.find(({ value }: { value: unknown }) => value).splits).toMatchObject([
      { value: { value: 'Baltic' }, total: 2 },
    ])
    const byCargo = await ofShips({ group_by: home('cargoes'), aggregates })
    expect(values(byCargo).map(([, total, sums]) => [total, sums])).toEqual([[2, [1100, 12, 2]], [2, [1100, 12, 2]], [1, [40, null, 0]]]) // prettier-ignore
  })

  test('200 by what the parent record of an entry refers to', async () => {
    const path = [[visits, 'parent_record'], [ships, 'home'], [ports, 'sea']] // prettier-ignore
    const tons = { path: [[visits, 'parent_record'], [ships, 'tons']], function: 'sum' } // prettier-ignore
    const { body } = await ofVisits({ group_by: { path }, aggregates: [tons, { attribute: 'cargo', function: 'sum' }] })
    expect(values({ body })).toEqual([['Baltic', 3, [1300, 7.3]], [null, 1, [40, null]]]) // prettier-ignore
  })

  // The slugs are known when the test runs.
  const refused: [name: string, body: () => object, code: string][] = [
    [
      'an attribute and a path of a group',
      () => ({ group_by: { attribute: 'home', ...home('sea') } }),
      'validation_type',
    ],
    ['a group without both', () => ({ group_by: { step: 'year' } }), 'validation_type'],
    ['steps of a text', () => ({ group_by: { ...home('sea'), step: 'year' } }), 'validation_type'],
    [
      'an attribute and a path',
      () => ({ aggregates: [{ attribute: 'tons', ...home('depth'), function: 'sum' }] }),
      'validation_type',
    ],
    ['the sum of texts', () => ({ aggregates: [{ ...home('sea'), function: 'sum' }] }), 'validation_type'],
    ['an unknown attribute', () => ({ group_by: home('nothing') }), 'value_not_found'],
    ['a path without segments', () => ({ group_by: { path: [] } }), 'filter_error'],
    ['a path that begins elsewhere', () => ({ group_by: { path: [[ports, 'sea']] } }), 'filter_error'],
  ]
  test.each(refused)('400 for %s', async (_, body, code) => {
    const answer = await ofShips(body())
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('a path to records of a hidden object is refused as one to an unknown object', async () => {
    const admin = await signedIn(service)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const root = `/console/api/workspaces/${service.workspaceId}/objects/${ports}/access`
    await admin.ask('PUT', root, { members: 'hidden', teams: [] })
    const path = [[ships, 'seen_with'], [ports, 'sea']] // prettier-ignore
    for (const body of [{ group_by: { path } }, { aggregates: [{ path, function: 'filled' }] }]) {
      const { status, body: answer } = await member.ask('POST', `/console/v2/objects/${ships}/records/aggregate`, body)
      expect([status, JSON.stringify(answer).includes('Mediterranean')]).toEqual([400, false])
    }
    await admin.ask('PUT', root, { members: 'read-write', teams: [] })
  })
})
