/** Computed attributes whose changes have history and events. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { eventLines, publishAll } from '#testing/events'
import { matchEvents } from '#events/webhooks/match/match-events'
import { listClient } from '#testing/lists'
import { rollupsOf } from '#testing/rollups'
import { getObject } from '#engine/data-model/find'
import { readFeeds } from '#crm/feed-worker'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
const lists = listClient(service)
const rollups = rollupsOf(service)

let slug: string
const names: Record<string, string> = {}

const input = (api_slug: string, type: string, formula?: string, more: object = {}) =>
  attributeInput({ api_slug, type, ...(formula !== undefined && { computed: { formula, ...more } }) })

const create = async (data: ReturnType<typeof attributeInput>, object = slug) => {
  const { status, body } = await api.create(object, data)
  if (status !== 200) throw new Error(JSON.stringify(body))
  names[body.data.id.attribute_id] = data.api_slug
  return body.data
}

const TRACKED = { tracked: true }

beforeAll(async () => {
  slug = await api.object()
  names[(await service.request('GET', `/v2/objects/${slug}`)).body.data.id.object_id] = 'things'
  await create(input('n', 'number'))
  await create(input('day', 'date'))
  expect((await create(input('twice', 'number', 'n * 2', TRACKED))).computed.tracked).toBe(true)
  await create(input('word', 'text', "case when twice > 10 then 'high' else 'low' end", TRACKED))
  await create(input('next', 'date', 'day + 1', TRACKED))
  expect((await create(input('silent', 'number', 'n * 3'))).computed.tracked).toBe(false)
})

beforeEach(() => service.events())

const path = (id: string, object = slug) => `/v2/objects/${object}/records/${id}`
const update = async (id: string, values: object, object = slug) =>
  (await service.request('PATCH', path(id, object), { data: { values } })).body.data

interface ShownValue {
  readonly value: unknown
  readonly active_from: string
  readonly active_until: string | null
  readonly created_by_actor: unknown
}

const historyOf = async (id: string, attribute: string, object = slug): Promise<ShownValue[]> =>
  (await service.request('GET', `${path(id, object)}/attributes/${attribute}/values?show_historic=true`)).body.data

const eventsOf = async (id: string) => (await eventLines(service, { ...names, [id]: 'one' })).toSorted()

describe('tracked formulas', () => {
  test('a change has history and an event of the system, and no other one has', async () => {
    const id = await api.record(slug, { n: 1, day: '2026-02-28' })
    await service.events()
    const before = await service.request('GET', path(id))
    const changed = await update(id, { n: 6 })
    expect(await eventsOf(id)).toEqual([
      'record.updated one.n by api-token',
      'record.updated one.twice by system',
      'record.updated one.word by system',
    ])
    const [own] = changed.values.twice
    expect(own).toMatchObject({
      value: 12,
      created_by_actor: { type: 'system' },
      active_from: changed.values.n[0].active_from,
    })
    const page = await service.request('POST', `/v2/objects/${slug}/records/query`, { filter: { n: 6 } })
    expect(page.body.data).toEqual([changed])
    expect(changed.values.silent[0].active_from).toBe(before.body.data.created_at)
    expect(await historyOf(id, 'twice')).toMatchObject([
      { value: 2, active_from: before.body.data.created_at, active_until: own.active_from },
      { value: 12, active_from: own.active_from, active_until: null, created_by_actor: { type: 'system' } },
    ])
    await update(id, { n: 7 })
    expect(await eventsOf(id)).toEqual(['record.updated one.n by api-token', 'record.updated one.twice by system'])
    expect((await historyOf(id, 'word')).map(({ value }) => value)).toEqual(['low', 'high'])
    await update(id, { n: [] })
    await update(id, { n: 7 })
    const values = await historyOf(id, 'twice')
    expect(values.map(({ value }) => value)).toEqual([2, 12, 14, 14])
    for (const [index, { active_from }] of values.slice(1).entries())
      expect(active_from >= String(values[index]?.active_until)).toBe(true)
    expect((await service.request('GET', `${path(id)}/attributes/silent/values?show_historic=true`)).status).toBe(400)
  })

  test('values of other types are in the history, and a write of nothing new has none', async () => {
    const id = await api.record(slug, { day: '2026-02-28' })
    await update(id, { day: '2026-03-01' })
    await service.events()
    const { version } = { version: (await service.request('GET', path(id))).headers.get('etag') }
    await update(id, { day: '2026-03-01' })
    expect((await service.request('GET', path(id))).headers.get('etag')).toBe(version)
    expect(await eventsOf(id)).toEqual([])
    expect((await historyOf(id, 'next')).map(({ value }) => value)).toEqual(['2026-03-01', '2026-03-02'])
  })

  test('a batch and a restoration keep them; a change of the formula has neither', async () => {
    const id = await api.record(slug, { n: 1 })
    const operations = [2, 3].map((n) => ({ op: 'update', record_id: id, values: { n } }))
    await service.request('POST', `/v2/objects/${slug}/records/batch`, { data: { operations } })
    expect((await historyOf(id, 'twice')).map(({ value }) => value)).toEqual([2, 4, 6])
    await service.request('DELETE', path(id))
    await service.request('POST', `${path(id)}/restore`, {})
    expect((await historyOf(id, 'twice')).map(({ value }) => value)).toEqual([2, 4, 6])
    await service.events()
    const name = (await create(input('changing', 'number', 'n + 1', TRACKED))).api_slug
    expect((await api.update(slug, name, { computed: { formula: 'n + 2' } })).status).toBe(200)
    expect(await eventsOf(id)).toEqual([
      'object-attribute.created things.changing by api-token',
      'object-attribute.updated things.changing by api-token',
    ])
    const { created_at } = (await service.request('GET', path(id))).body.data
    expect(await historyOf(id, name)).toMatchObject([{ value: 5, active_from: created_at }])
  })

  test('an entry has events with its record', async () => {
    const list = await lists.listWith({ n: { type: 'number' } })
    const attribute = await lists.attribute(list, 'more', {
      type: 'number',
      computed: { formula: 'n + 1', tracked: true },
    })
    const entry = await lists.entry(list, await lists.record(), { n: 1 })
    await service.events()
    await lists.update('PATCH', list, entry, { n: 2 })
    const found = (await service.events()).find(({ id }) => Object.values(id).includes(attribute.id.attribute_id))
    expect(found).toMatchObject({
      event_type: 'list-entry.updated',
      id: { entry_id: entry },
      actor: { type: 'system' },
    })
  })

  test('400 for a formula of the clock, and for a change of the member', async () => {
    const { body } = await api.create(slug, input('age', 'number', 'current_date - day', TRACKED))
    expect(body.validation_errors[0]).toMatchObject({ path: ['data', 'computed', 'tracked'] })
    for (const [name, tracked] of [
      ['twice', false],
      ['silent', true],
    ] as const) {
      const { status, body: refused } = await api.update(slug, name, { computed: { formula: 'n', tracked } })
      expect([status, refused.validation_errors[0].message]).toEqual([400, 'Cannot change'])
    }
  })
})

describe('tracked look-ups and rollups', () => {
  /** Children refer to parents, and parents to an area. */
  let area = ''
  let parent = ''
  let child = ''
  const reference = (api_slug: string, to: string) =>
    attributeInput({
      api_slug,
      type: 'record-reference',
      config: { record_reference: { allowed_objects: [to] } },
    })

  beforeAll(async () => {
    area = await api.object()
    parent = await api.object()
    child = await api.object()
    await create(attributeInput({ api_slug: 'title', type: 'text' }), area)
    await create(reference('area', area), parent)
    await create(
      attributeInput({ api_slug: 'tags', type: 'select', is_multiselect: true, config: { options: ['a', 'b', 'c'] } }),
      parent,
    )
    await create(
      attributeInput({ api_slug: 'name', type: 'text', computed: { lookup: ['area', 'title'], ...TRACKED } }),
      parent,
    )
    await create(reference('parent', parent), child)
    await create(attributeInput({ api_slug: 'n', type: 'number' }), child)
    await create(
      attributeInput({ api_slug: 'name', type: 'text', computed: { lookup: ['parent', 'name'], ...TRACKED } }),
      child,
    )
    const tags = { type: 'select', is_multiselect: true, computed: { lookup: ['parent', 'tags'], ...TRACKED } }
    await create(attributeInput({ api_slug: 'tags', ...tags }), child)
    await create(
      attributeInput({ api_slug: 'shout', type: 'text', computed: { formula: 'upper(name)', ...TRACKED } }),
      child,
    )
    const rollup = (name: string, of?: string) => ({
      rollup: { through: `${child}.parent`, function: name, ...(of && { of }) },
    })
    const total = await create(
      attributeInput({ api_slug: 'total', type: 'number', computed: { ...rollup('sum', 'n'), ...TRACKED } }),
      parent,
    )
    expect(total.computed.tracked).toBe(true)
    await create(attributeInput({ api_slug: 'silent', type: 'number', computed: rollup('max', 'n') }), parent)
    await create(
      attributeInput({ api_slug: 'names', type: 'text', computed: { ...rollup('list', 'name'), ...TRACKED } }),
      parent,
    )
    await create(
      attributeInput({ api_slug: 'twice', type: 'number', computed: { formula: 'silent * 2', ...TRACKED } }),
      parent,
    )
  })

  const valueOf = async (id: string, attribute: string, object: string) =>
    (await api.values(object, id))[attribute].map(
      (value: { value?: unknown; option?: { title: string } }) => value.value ?? value.option?.title,
    )
  const endedOf = async (id: string, attribute: string, object: string) =>
    (await historyOf(id, attribute, object))
      .filter(({ active_until }) => active_until !== null)
      .map(({ value }) => value)

  test('a change has history and an event of the system; version and time of the last update stay', async () => {
    const one = await api.record(parent, {})
    const id = await api.record(child, { parent: one, n: 1 })
    await rollups.work()
    await service.events()
    const before = await service.request('GET', path(one, parent))
    const { table } = getObject(await service.appContext.models.reload(service.workspaceId), parent)
    const updatedAt = async () =>
      (await service.db.sql.unsafe(`select updated_at::text as time from ${table} where id = $1`, [one]))[0]?.time
    const updatedBefore = await updatedAt()
    await update(id, { n: 5 }, child)
    await service.events()
    await rollups.work()
    const after = await service.request('GET', path(one, parent))
    expect(await eventLines(service, { ...names, [one]: 'one' })).toEqual([
      'record.updated one.total by system',
      'record.updated one.twice by system',
    ])
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    expect(await updatedAt()).toBe(updatedBefore)
    const [total] = after.body.data.values.total
    expect(total).toMatchObject({ value: 5, created_by_actor: { type: 'system' } })
    expect(await historyOf(one, 'total', parent)).toMatchObject([
      { value: 1, active_until: total.active_from },
      { value: 5, active_from: total.active_from, active_until: null },
    ])
    const { status } = await service.request('GET', `${path(one, parent)}/attributes/silent/values?show_historic=true`)
    expect(status).toBe(400)
    expect(after.body.data.values.silent[0].active_from).toBe(after.body.data.created_at)
    // The events request nothing anew.
    await readFeeds(service.appContext)
    expect(await service.db.sql`select from relata.rollup_refreshes`).toHaveLength(0)
  })

  test('a look-up of a look-up, a formula over it and several values have them, in the order of the changes', async () => {
    const place = await api.record(area, { title: 'old' })
    const one = await api.record(parent, { area: place, tags: ['a', 'b'] })
    const id = await api.record(child, { parent: one })
    await rollups.work()
    await service.events()
    await update(place, { title: 'new' }, area)
    await service.request('PUT', path(one, parent), { data: { values: { tags: ['b', 'c'] } } })
    await service.events()
    await rollups.work()
    const lines = await eventLines(service, { ...names, [one]: 'one', [id]: 'it' })
    expect(lines.toSorted()).toEqual([
      'record.updated it.name by system',
      'record.updated it.shout by system',
      'record.updated it.tags by system',
      'record.updated one.name by system',
      'record.updated one.names by system',
    ])
    expect(await endedOf(id, 'name', child)).toEqual(['old'])
    expect(await endedOf(id, 'shout', child)).toEqual(['OLD'])
    expect(await endedOf(one, 'names', parent)).toEqual(['old'])
    const tags = (await api.values(child, id)).tags
    expect(tags.map(({ option }: { option: { title: string } }) => option.title)).toEqual(['b', 'c'])
    expect(tags[0].active_from < tags[1].active_from).toBe(true)
    const [ended] = await historyOf(id, 'tags', child)
    expect(ended).toMatchObject({
      option: { title: 'a' },
      active_from: tags[0].active_from,
      active_until: tags[1].active_from,
    })
    // A page and the activity show the same.
    const page = await service.request('POST', `/v2/objects/${child}/records/query`, { filter: { shout: 'NEW' } })
    expect(page.body.data.map(({ values }: { values: { tags: unknown } }) => values.tags)).toEqual([tags])
    const activity = await service.request('GET', `${path(id, child)}/activity`)
    const items = activity.body.data.filter(({ type }: { type: string }) => type === 'values.changed')
    expect(items[0]).toMatchObject({ actor: { type: 'system' } })
    const changed = items.flatMap(({ attributes }: { attributes: readonly { api_slug: string }[] }) => attributes)
    expect(new Set(changed.map(({ api_slug }: { api_slug: string }) => api_slug))).toEqual(
      new Set(['name', 'shout', 'tags']),
    )
  })

  test('a change of the definition has neither, and an entry has events with its record', async () => {
    const list = await lists.listWith({})
    const person = await lists.record('people', { name: 'Ada Lovelace' })
    const entry = await lists.entry(list, person)
    const attribute = await lists.attribute(list, 'who', {
      type: 'personal-name',
      computed: { lookup: ['parent_record', 'name'], tracked: true },
    })
    await service.events()
    await service.request('PATCH', `/v2/objects/people/records/${person}`, { data: { values: { name: 'Ada King' } } })
    await service.events()
    await rollups.work()
    const found = await service.events()
    expect(found).toMatchObject([
      {
        event_type: 'list-entry.updated',
        id: { entry_id: entry, attribute_id: attribute.id.attribute_id },
        parent_record_id: person,
        actor: { type: 'system' },
      },
    ])
    const one = await api.record(parent, {})
    await api.record(child, { parent: one, n: 3 })
    await rollups.work()
    await service.events()
    const rollup = { through: `${child}.parent`, function: 'max', of: 'n', filter: { n: { $gt: 100 } } }
    expect((await api.update(parent, 'total', { computed: { rollup } })).status).toBe(200)
    await rollups.work()
    expect((await eventLines(service, { ...names, [one]: 'one' })).filter((line) => line.includes('one'))).toEqual([])
    await api.update(parent, 'total', {
      computed: { rollup: { through: `${child}.parent`, function: 'sum', of: 'n' } },
    })
    const refused = await api.update(parent, 'total', { computed: { rollup, tracked: false } })
    expect([refused.status, refused.body.validation_errors[0].message]).toEqual([400, 'Cannot change'])
  })

  test('a webhook that filters by the attribute gets them', async () => {
    const one = await api.record(parent, {})
    const attribute = (await api.get(parent, 'total')).body.data.id.attribute_id
    const filter = { $and: [{ field: 'id.attribute_id', operator: 'equals', value: attribute }] }
    const webhook = await service.request('POST', '/v2/webhooks', {
      data: { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'record.updated', filter }] },
    })
    expect(webhook.status).toBe(200)
    await api.record(child, { parent: one, n: 3 })
    await rollups.work()
    await publishAll(service, matchEvents)
    const rows = await service.db.sql<{ body: string }[]>`select body from relata.deliveries`
    expect(rows.map(({ body }) => JSON.parse(body).events?.[0].id ?? JSON.parse(body).id)).toMatchObject([
      { record_id: one, attribute_id: attribute },
    ])
  })

  test('nobody sees events of a rollup over a list that became private', async () => {
    const list = await lists.list({ parent_object: parent })
    const rollup = { through: list, function: 'count' }
    const count = attributeInput({ type: 'number', computed: { rollup, ...TRACKED } })
    const { id } = await create(count, parent)
    const one = await api.record(parent, {})
    const add = () =>
      service.request('POST', `/v2/lists/${list}/entries`, {
        data: { parent_object: parent, parent_record_id: one, entry_values: {} },
      })
    const shown = async () => {
      await rollups.work()
      await publishAll(service)
      const { body } = await service.request('GET', '/v2/events?limit=1000&event_type=record.updated')
      return body.data.filter(
        ({ event }: { event: { id: { attribute_id: string } } }) => event.id.attribute_id === id.attribute_id,
      )
    }
    await add()
    expect(await shown()).toMatchObject([{ event: { id: { record_id: one }, actor: { type: 'system' } } }])
    const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const access = { workspace_access: null, workspace_member_access }
    expect((await service.request('PATCH', `/v2/lists/${list}`, { data: access })).status).toBe(200)
    await add()
    expect(await shown()).toEqual([])
    await service.request('PATCH', `/v2/lists/${list}`, { data: { workspace_access: 'full-access' } })
    expect(await shown()).toHaveLength(2)
  })

  test('the deletion of a record for good deletes what the history has of its values, also of records that referred to it', async () => {
    const [gone, other] = [await api.record(area, { title: 'gone' }), await api.record(area, { title: 'other' })]
    const one = await api.record(parent, { area: gone })
    const former = await api.record(parent, { area: gone })
    const id = await api.record(child, { parent: one, n: 1 })
    await rollups.work()
    await update(former, { area: other }, parent)
    await update(id, { n: 2 }, child)
    await rollups.work()
    expect(await endedOf(former, 'name', parent)).toEqual(['gone'])
    await service.request('DELETE', path(gone, area))
    await rollups.work()
    expect(await endedOf(one, 'name', parent)).toEqual(['gone'])
    expect(await endedOf(id, 'shout', child)).toEqual(['GONE'])
    expect((await service.request('DELETE', `${path(gone, area)}?permanent=true`)).status).toBe(200)
    await rollups.work()
    for (const [record, attribute, object] of [
      [one, 'name', parent],
      [former, 'name', parent],
      [one, 'names', parent],
      [id, 'name', child],
      [id, 'shout', child],
    ] as const)
      expect(await endedOf(record, attribute, object)).toEqual([])
    expect(await endedOf(one, 'total', parent)).toEqual([1])
    expect(await valueOf(former, 'name', parent)).toEqual(['other'])
  })
})
