/** See docs/reference/query.md (Totals). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
let object: string
beforeAll(async () => {
  object = await api.object()
  for (const [api_slug, type] of [
    ['count', 'number'],
    ['price', 'currency'],
    ['stars', 'rating'],
    ['name', 'text'],
    ['color', 'select'],
  ]) {
    await api.create(object, attributeInput({ api_slug, type }))
  }
  await service.request('POST', `/v2/objects/${object}/attributes/color/options`, { data: { title: 'Red' } })
  await api.record(object, { count: 1.5, price: 0.1, color: 'Red', stars: 4 })
  await api.record(object, { count: 2, price: 0.2, color: 'Red', name: 'x' })
  await api.record(object, { count: -10, name: 'x' })
})

const query = (body: object) => service.request('POST', `/v2/objects/${object}/records/query`, body)

describe('sum in POST …/query', () => {
  test.each([
    ['count', {}, -6.5],
    ['price', {}, 0.3],
    ['price', { color: 'Red' }, 0.3],
    ['count', { color: 'Red' }, 3.5],
    ['price', { count: -10 }, 0],
    ['count', { name: 'nobody' }, 0],
    ['stars', {}, 4],
  ])('200: the sum of %s where %j is %d', async (sum, filter, expected) => {
    const { status, body } = await query({ sum, filter, limit: 1 })
    expect([status, body.pagination]).toEqual([200, { sum: expected }])
  })

  test('200 beside the count and a cursor, which also continues without them', async () => {
    const first = await query({ sum: 'count', include_count: true, cursor: null, limit: 2 })
    const { next_cursor } = first.body.pagination
    expect(first.body.pagination).toEqual({ next_cursor: expect.any(String), total: 3, sum: -6.5 })
    const second = await query({ cursor: next_cursor, limit: 2 })
    expect([second.body.data.length, second.body.pagination]).toEqual([1, { next_cursor: null }])
    expect((await query({ cursor: next_cursor, limit: 3 })).status).toBe(400)
  })

  test('200 by the id of the attribute', async () => {
    const { attribute_id } = (await api.get(object, 'price')).body.data.id
    expect((await query({ sum: attribute_id })).body.pagination).toEqual({ sum: 0.3 })
  })

  test.each([
    ['name', 'validation_type'],
    ['color', 'validation_type'],
    ['created_at', 'validation_type'],
    ['nothing', 'value_not_found'],
    [7, 'validation_type'],
    [['price'], 'validation_type'],
  ])('400 for the sum of %j', async (sum, code) => {
    const { status, body } = await query({ sum })
    expect([status, body.code]).toEqual([400, code])
  })

  test('400 for the sum of an archived attribute', async () => {
    await api.create(object, attributeInput({ api_slug: 'old', type: 'number' }))
    await api.update(object, 'old', { is_archived: true })
    expect((await query({ sum: 'old' })).status).toBe(400)
  })
})
