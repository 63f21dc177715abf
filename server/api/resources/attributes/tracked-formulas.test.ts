/** Stored formulas whose changes have history and events. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { eventLines } from '#testing/events'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
const lists = listClient(service)

let slug: string
const names: Record<string, string> = {}

const input = (api_slug: string, type: string, formula?: string, more: object = {}) =>
  attributeInput({ api_slug, type, ...(formula !== undefined && { computed: { formula, ...more } }) })

const create = async (data: ReturnType<typeof attributeInput>) => {
  const { status, body } = await api.create(slug, data)
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

const path = (id: string) => `/v2/objects/${slug}/records/${id}`
const update = async (id: string, values: object) =>
  (await service.request('PATCH', path(id), { data: { values } })).body.data

interface ShownValue {
  readonly value: unknown
  readonly active_from: string
  readonly active_until: string | null
  readonly created_by_actor: unknown
}

const historyOf = async (id: string, attribute: string): Promise<ShownValue[]> =>
  (await service.request('GET', `${path(id)}/attributes/${attribute}/values?show_historic=true`)).body.data

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
