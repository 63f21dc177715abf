/** See docs/reference/query.md (Aggregates). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
let object: string
let red: string

beforeAll(async () => {
  object = await api.object()
  for (const [api_slug, type, is_multiselect = false] of [
    ['count', 'number'],
    ['price', 'currency'],
    ['stars', 'rating'],
    ['title', 'text'],
    ['color', 'select'],
    ['tags', 'select', true],
    ['mails', 'email-address', true],
  ] as const) {
    await api.create(object, attributeInput({ api_slug, type, is_multiselect }))
  }
  const option = async (attribute: string, title: string) =>
    (await service.request('POST', `/v2/objects/${object}/attributes/${attribute}/options`, { data: { title } })).body
      .data.id.option_id
  red = await option('color', 'Red')
  await option('color', 'Blue')
  for (const title of ['A', 'B']) await option('tags', title)
  await api.record(object, { count: 0.1, price: 0.1, color: 'Red', stars: 4, tags: ['A', 'B'] })
  await api.record(object, {
    count: 0.2,
    price: 0.2,
    color: 'Red',
    title: 'x',
    tags: ['A'],
    mails: ['a@b.co', 'c@b.co'],
  })
  await api.record(object, { count: -10, color: 'Blue', title: 'x' })
  await api.record(object, { title: 'y' })
})

const aggregate = (body: object) => service.request('POST', `/v2/objects/${object}/records/aggregate`, body)

describe('POST /v2/objects/{object}/records/aggregate', () => {
  test('200 with the total without aggregates', async () => {
    const { status, body } = await aggregate({})
    expect([status, body]).toEqual([200, { data: { total: 4, aggregates: [] } }])
  })

  test('200 with a count that names no attribute', async () => {
    const { status, body } = await aggregate({ filter: { color: 'Red' }, aggregates: [{ function: 'count' }] })
    expect([status, body.data?.aggregates]).toEqual([200, [{ function: 'count', value: 2 }]])
  })

  test.each([
    ['count', 'count', {}, 4],
    ['count', 'filled', {}, 3],
    ['count', 'empty', {}, 1],
    ['count', 'sum', {}, -9.7],
    ['count', 'sum', { color: 'Red' }, 0.3],
    ['count', 'average', { color: 'Red' }, 0.15],
    ['count', 'min', {}, -10],
    ['count', 'max', {}, 0.2],
    ['price', 'sum', {}, 0.3],
    ['stars', 'average', {}, 4],
    ['price', 'sum', { title: 'y' }, null],
    ['count', 'max', { title: 'nobody' }, null],
    ['title', 'filled', {}, 3],
    ['tags', 'filled', {}, 2],
    ['tags', 'empty', {}, 2],
    ['mails', 'filled', {}, 1],
    ['color', 'empty', {}, 1],
    ['created_at', 'filled', {}, 4],
    ['updated_at', 'empty', {}, 0],
  ])('200: of %s, %s where %j is %p', async (attribute, fn, filter, value) => {
    const { status, body } = await aggregate({ filter, aggregates: [{ attribute, function: fn }] })
    expect([status, body.data?.aggregates]).toEqual([200, [{ attribute, function: fn, value }]])
  })

  test('200 with the numbers of the groups of one value, the largest first', async () => {
    const { body } = await aggregate({ group_by: 'color' })
    const groups = body.data.groups.map(({ value, total }: Group) => [value?.option?.title ?? null, total])
    expect(groups[0]).toEqual(['Red', 2])
    expect(groups.slice(1)).toContainEqual(['Blue', 1])
    expect(groups.slice(1)).toContainEqual([null, 1])
    expect(body.data.groups[0].value.option.id.option_id).toBe(red)
    expect(body.data.has_more_groups).toBe(false)
  })

  test('200: a record with several values is in several groups', async () => {
    const { body } = await aggregate({ group_by: 'tags', filter: { $not: { title: { $not_empty: true } } } })
    expect(body.data.groups.map(({ value, total }: Group) => [value?.option?.title, total]).toSorted()).toEqual([
      ['A', 1],
      ['B', 1],
    ])
    const all = await aggregate({ group_by: 'tags' })
    expect(all.body.data.groups.map(({ total }: Group) => total)).toEqual([2, 2, 1])
  })

  test('200 by actor', async () => {
    const { body } = await aggregate({ group_by: 'created_by' })
    expect(body.data.groups).toEqual([
      { value: expect.objectContaining({ referenced_actor_type: 'api-token' }), total: 4 },
    ])
  })

  test.each([
    [{ aggregates: [{ attribute: 'title', function: 'sum' }] }, 'validation_type'],
    [{ aggregates: [{ attribute: 'color', function: 'max' }] }, 'validation_type'],
    [{ aggregates: [{ attribute: 'tags', function: 'average' }] }, 'validation_type'],
    [{ aggregates: [{ attribute: 'nothing', function: 'sum' }] }, 'value_not_found'],
    [{ aggregates: [{ attribute: 'count', function: 'median' }] }, 'validation_type'],
    [{ aggregates: [{ attribute: 'count' }] }, 'validation_type'],
    [{ aggregates: { attribute: 'count' } }, 'validation_type'],
    [{ aggregates: Array.from({ length: 51 }, () => ({ attribute: 'count', function: 'sum' })) }, 'validation_type'],
    [{ aggregates: [{ function: 'sum' }] }, 'validation_type'],
    [{ group_by: 'count' }, 'validation_type'],
    [{ group_by: 'record_id' }, 'validation_type'],
    [{ group_by: 'mails' }, 'validation_type'],
    [{ group_by: { attribute: 'color', step: 'month' } }, 'validation_type'],
    [{ group_by: { attribute: 'created_at', step: 'hour' } }, 'validation_type'],
    [{ group_by: { attribute: 'created_at', steps: 'day' } }, 'validation_type'],
    [{ group_by: { step: 'day' } }, 'validation_type'],
    [{ group_by: [] }, 'validation_type'],
    [{ split_by: 'color' }, 'validation_type'],
    [{ group_by: 'color', split_by: 'count' }, 'validation_type'],
    [{ group_by: 'color', split_by: 'nothing' }, 'value_not_found'],
    [{ group_by: 'created_at', time_zone: 'Atlantis' }, 'validation_type'],
    [{ group_by: 'nothing' }, 'value_not_found'],
    [{ group_by: 5 }, 'validation_type'],
    [{ filter: { nothing: 1 } }, 'unknown_filter_attribute_slug'],
  ])('400 for %j', async (body, code) => {
    const answer = await aggregate(body)
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('404 for an unknown object', async () => {
    expect((await service.request('POST', '/v2/objects/nothing/records/aggregate', {})).status).toBe(404)
  })
})

interface Group {
  readonly value: { readonly option?: { readonly title: string } } | null
  readonly total: number
}
