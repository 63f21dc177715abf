import { describe, expect, test } from 'bun:test'
import type { ShownRecord } from '#testing/answer-shapes'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

interface Titled {
  readonly title: string
}

const KINDS = [
  { type: 'select', segment: 'options' },
  { type: 'status', segment: 'statuses' },
] as const

describe.each(KINDS)('sort_order in PATCH …/$segment/{name}', ({ type, segment }) => {
  /** An attribute with the options A, B, C and D. */
  async function letters() {
    const object = await api.object()
    const { api_slug } = (await api.create(object, attributeInput({ type }))).body.data
    const path = `/v2/objects/${object}/attributes/${api_slug}/${segment}`
    for (const title of ['A', 'B', 'C', 'D']) await service.request('POST', path, { data: { title } })
    return {
      object,
      api_slug,
      add: (title: string) => service.request('POST', path, { data: { title } }),
      update: (title: string, data: unknown) => service.request('PATCH', `${path}/${title}`, { data }),
      titles: async (query = '') =>
        (await service.request('GET', path + query)).body.data.map(({ title }: Titled) => title).join(''),
    }
  }

  test.each([
    ['D', 0, 'DABC'],
    ['A', 1, 'BACD'],
    ['A', 3, 'BCDA'],
    ['B', 999_999_999, 'ACDB'],
    ['C', 2, 'ABCD'],
  ])('200: %s at %d gives %s, with an unchanged answer', async (title, sort_order, order) => {
    const { update, titles } = await letters()
    const { status, body } = await update(title, { sort_order })
    expect([status, body.data.title, 'sort_order' in body.data]).toEqual([200, title, false])
    expect(await titles()).toBe(order)
  })

  test('200 beside other members; archived ones keep their index, and a new one is the last', async () => {
    const { add, update, titles } = await letters()
    await update('B', { is_archived: true })
    expect((await update('D', { sort_order: 1, title: 'E' })).body.data.title).toBe('E')
    expect(await titles('?show_archived=true')).toBe('AEBC')
    await add('F')
    expect(await titles('?show_archived=true')).toBe('AEBCF')
  })

  test('200: records are sorted by the new order', async () => {
    const { object, api_slug, update } = await letters()
    for (const title of ['A', 'B', 'C']) await api.record(object, { [api_slug]: title })
    await update('C', { sort_order: 0 })
    const sorts = [{ attribute: api_slug, direction: 'asc' }]
    const { body } = await service.request('POST', `/v2/objects/${object}/records/query`, { sorts })
    const member = type === 'select' ? 'option' : 'status'
    expect(body.data.map(({ values }: ShownRecord) => values[api_slug]?.[0]?.[member]?.title).join('')).toBe('CAB')
  })

  test.each([[-1], [1.5], ['1'], [null]])('400 for %j', async (sort_order) => {
    const { update, titles } = await letters()
    const { status, body } = await update('C', { sort_order })
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(await titles()).toBe('ABCD')
  })

  test('200 for moves at the same time: none is lost or doubled', async () => {
    const { update, titles } = await letters()
    await Promise.all(['D', 'C', 'B'].map((title, index) => update(title, { sort_order: index })))
    expect((await titles()).split('').toSorted().join('')).toBe('ABCD')
  })
})

describe('sort_order in PATCH /v2/objects/{object}/attributes/{attribute}', () => {
  const custom = async (object: string, query = '') =>
    (await api.list(object, query))
      .filter(({ is_system_attribute }: { is_system_attribute: boolean }) => !is_system_attribute)
      .map(({ title }: Titled) => title)
      .join('')

  /** A new object with the attributes A, B and C. */
  async function letters(): Promise<{ object: string; slugs: Record<string, string> }> {
    const object = await api.object()
    const slugs: Record<string, string> = {}
    for (const title of ['A', 'B', 'C']) {
      slugs[title] = (await api.create(object, attributeInput({ title }))).body.data.api_slug
    }
    return { object, slugs }
  }

  test.each([
    ['C', 0, 'CAB'],
    ['A', 1, 'BAC'],
    ['A', 50, 'BCA'],
  ])('200: %s at %d gives %s; system attributes stay first', async (title, sort_order, order) => {
    const { object, slugs } = await letters()
    expect((await api.update(object, slugs[title] ?? '', { sort_order })).status).toBe(200)
    expect(await custom(object)).toBe(order)
    expect((await api.list(object))[0].is_system_attribute).toBe(true)
    await api.create(object, attributeInput({ title: 'Z' }))
    expect(await custom(object)).toBe(`${order}Z`)
  })

  test('200 on a standard object; 400 for a system attribute and an index below 0', async () => {
    const { api_slug } = (await api.create('people', attributeInput({ title: 'Own' }))).body.data
    expect((await api.update('people', api_slug, { sort_order: 0 })).status).toBe(200)
    const refused = await api.update('people', 'name', { sort_order: 0 })
    expect([refused.status, refused.body.code]).toEqual([400, 'system_edit_unauthorized'])
    expect((await api.update('people', api_slug, { sort_order: -1 })).status).toBe(400)
  })

  test('200: archived attributes count', async () => {
    const { object, slugs } = await letters()
    await api.update(object, slugs.B ?? '', { is_archived: true })
    await api.update(object, slugs.C ?? '', { sort_order: 1 })
    expect(await custom(object, '?show_archived=true')).toBe('ACB')
    expect(await custom(object)).toBe('AC')
  })
})
