/** The errors of sorts and pages. See docs/reference/query.md (Sorts, Pages, Errors of queries). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThings } from './testing/things'

const service = useTestService()
beforeAll(async () => {
  await createThings(service.request)
})

const query = (body: unknown, object = 'things') => service.request('POST', `/v2/objects/${object}/records/query`, body)

describe('POST /v2/objects/{object}/records/query', () => {
  const asc = { direction: 'asc' }
  test.each([
    [[asc], 'missing_sort_field', ['0']],
    [[{ ...asc, field: 'value' }], 'missing_sort_field', ['0']],
    [
      [
        { ...asc, attribute: 'name' },
        { ...asc, attribute: 'nope' },
      ],
      'value_not_found',
      undefined,
    ],
    [[{ ...asc, path: [['things', 'nope']] }], 'value_not_found', undefined],
    [[{ ...asc, attribute: 'name', field: 'nope' }], 'invalid_filter_field', ['0', 'field']],
    [[{ ...asc, attribute: 'place', field: 'latitude' }], 'invalid_filter_field', ['0', 'field']],
    [[{ ...asc, attribute: 'name', path: [['things', 'name']] }], 'filter_error', ['0']],
    [[{ ...asc, path: [['people', 'name']] }], 'filter_error', ['0', 'path', '0', '0']],
    [[{ ...asc, path: [] }], 'filter_error', ['0', 'path']],
    [Array.from({ length: 6 }, () => ({ ...asc, attribute: 'name' })), 'filter_error', []],
    [[{ attribute: 'name' }], 'validation_type', undefined],
    [[{ direction: 'up', attribute: 'name' }], 'validation_type', undefined],
    [{}, 'validation_type', undefined],
  ])('400 for sorts %j', async (sorts, code, path) => {
    const { status, body } = await query({ sorts })
    expect([status, body.code, body.path]).toEqual([400, code, path])
  })

  test.each([
    { limit: 0 },
    { limit: 501 },
    { limit: 1.5 },
    { limit: '5' },
    { offset: -1 },
    { offset: 0.5 },
    { filter: [] },
    { filter: 'x' },
    { filter_view_id: 'x' },
    { cursor: 5 },
    { include_count: 'yes' },
    { filter: {}, filter_view_id: crypto.randomUUID() },
    { cursor: null, offset: 1 },
    { cursor: 'x' },
  ])('400 validation_type for %j', async (body) => {
    const answer = await query(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
  })

  test('404 for an unknown object and an unknown view', async () => {
    expect((await query({}, 'nothings')).body).toMatchObject({ code: 'not_found', did_you_mean: 'things' })
    const view = await query({ filter_view_id: crypto.randomUUID() })
    expect([view.status, view.body.code]).toEqual([404, 'not_found'])
  })
})
