/**
 * Queries over entries, also by values of their parent records. See docs/reference/query.md (Paths, Entries).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let list: string
let ada: string
let acme: string
const numbers = new Map<string, string>()
beforeAll(async () => {
  list = await lists.list({ api_slug: 'candidates' })
  await lists.attribute(list, 'score', { type: 'number' })
  await lists.attribute(list, 'tags', { type: 'email-address', is_multiselect: true })
  await lists.attribute(list, 'stage', { type: 'status' })
  for (const title of ['New', 'Hired']) {
    await service.request('POST', `/v2/lists/${list}/attributes/stage/statuses`, { data: { title } })
  }
  acme = await lists.record('companies', { name: 'Acme', domains: ['acme.com'] })
  const company = { target_object: 'companies', target_record_id: acme }
  ada = await lists.record('people', { name: 'Lovelace, Ada', company })
  const bob = await lists.record('people', { name: 'Builder, Bob' })
  const values = [
    { score: 3, stage: 'Hired', tags: ['a@example.com', 'b@example.com'] },
    { score: 1, stage: 'New' },
    { score: 2, tags: ['b@example.com'] },
  ]
  for (const [index, each] of values.entries()) {
    numbers.set(await lists.entry(list, index === 1 ? bob : ada, each), `${index + 1}`)
  }
})

async function found(body: object): Promise<string> {
  const answer = await lists.query(list, body)
  if (answer.status !== 200) return `${answer.status} ${answer.body.code}`
  return answer.body.data.map(({ id }: { id: { entry_id: string } }) => numbers.get(id.entry_id)).join('')
}

const through = (...path: [string, string][]) => ({ path })
const person = (target_record_id: string) => ({ target_object: 'people', target_record_id })
const toName = through(['candidates', 'parent_record'], ['people', 'name'])
const toDomain = through(['candidates', 'parent_record'], ['people', 'company'], ['companies', 'domains'])

describe('POST /v2/lists/{list}/entries/query', () => {
  test('200 with all entries, oldest first, for an empty query', async () => {
    const { status, body } = await lists.query(list)
    expect([status, body.data.length]).toEqual([200, 3])
    expect(Object.keys(body.data[0])).toEqual(['id', 'parent_record_id', 'parent_object', 'created_at', 'entry_values'])
    expect(await found({})).toBe('123')
    expect(await found({ limit: 1, offset: 1 })).toBe('2')
  })

  const filters: [string, () => object, string][] = [
    ['a value', () => ({ score: { $gte: 2 } }), '13'],
    ['a value of several', () => ({ tags: 'b@example.com' }), '13'],
    ['a status', () => ({ stage: 'Hired' }), '1'],
    ['no status', () => ({ $not: { stage: { $not_empty: true } } }), '3'],
    ['the creation', () => ({ created_at: { $gte: '2024-01-02' } }), '123'],
    ['ids', () => ({ entry_id: { $in: [...numbers.keys()].slice(1) } }), '23'],
    ['the parent', () => ({ parent_record: person(ada) }), '13'],
    ['the id of the parent', () => ({ parent_record: ada }), '13'],
    ['the object of the parent', () => ({ parent_record: { target_object: 'people' } }), '123'],
    ['a parent of another kind', () => ({ parent_record: person(acme) }), ''],
    ['any parent', () => ({ parent_record: { $not_empty: true } }), '123'],
    ['the name of the parent', () => ({ ...toName, constraints: 'Bob Builder' }), '2'],
    ['another name', () => ({ $not: { ...toName, constraints: { last_name: 'Builder' } } }), '13'],
    ['the company of the parent', () => ({ ...toDomain, constraints: 'acme.com' }), '13'],
    ['an attribute of the parent', () => ({ name: 'x' }), '400 unknown_filter_attribute_slug'],
    ['parent_record_id', () => ({ parent_record_id: ada }), '400 unknown_filter_attribute_slug'],
    [
      'a parent that is no parent',
      () => ({ ...through(['candidates', 'parent_record'], ['companies', 'name']), constraints: 'x' }),
      '400 filter_error',
    ],
    ['another list', () => ({ ...through(['people', 'name']), constraints: 'x' }), '400 filter_error'],
  ]
  test.each(filters)('200 filtered by %s', async (_, filter, expected) => {
    expect(await found({ filter: filter() })).toBe(expected)
  })

  const sorts: [string, object, string][] = [
    ['a value', { attribute: 'score' }, '231'],
    ['a status, by its position', { attribute: 'stage' }, '213'],
    ['the parent, by its name', { attribute: 'parent_record' }, '132'],
    ['the name of the parent', { path: toName.path, field: 'last_name' }, '213'],
  ]
  test.each(sorts)('200 sorted by %s', async (_, sort, expected) => {
    expect(await found({ sorts: [{ direction: 'asc', ...sort }] })).toBe(expected)
  })

  test('200 with selected attributes, a count and a cursor', async () => {
    const first = await lists.query(list, {
      fields: ['score', 'parent_record'],
      cursor: null,
      limit: 2,
      include_count: true,
    })
    expect(first.body.pagination.total).toBe(3)
    expect(Object.keys(first.body.data[0].entry_values)).toEqual(['score', 'parent_record'])
    expect(first.body.data[0].entry_values.parent_record[0].target_record_id).toBe(ada)
    const cursor = first.body.pagination.next_cursor
    const next = await lists.query(list, { fields: ['score', 'parent_record'], cursor, limit: 2, include_count: true })
    expect([next.body.data.length, next.body.pagination.next_cursor]).toEqual([1, null])
  })

  test('404 for an unknown list', async () => {
    expect((await lists.query('nothing')).status).toBe(404)
  })
})
