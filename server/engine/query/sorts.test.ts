/** Order by every type, with ties, missing values, several sorts and paths. See docs/reference/query.md (Sorts). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThing, createThings } from './testing/things'

const service = useTestService()
const names = new Map<string, string>()

beforeAll(async () => {
  const { request, member } = service
  await createThings(request)
  const make = async (name: string, object: string, values: Record<string, unknown>) => {
    const id = await createThing(request, object, values)
    names.set(id, name)
    return id
  }
  const zoo = await make('Z', 'companies', { name: 'zoo' })
  const arc = await make('A', 'companies', { domains: ['arc.com'] })
  const max = await make('M', 'people', { name: 'Mustermann, Max', company: zoo })
  await make('E', 'people', { email_addresses: ['eve@x.com'], company: arc })
  await make('N', 'people', { name: 'Neumann, Anna', company: zoo })
  const to = (target_object: string, target_record_id: string) => [{ target_object, target_record_id }]
  const a = await make('a', 'things', {
    name: 'b',
    amount: 2,
    stars: 1,
    price: 9,
    done: true,
    day: '2024-01-02',
    moment: '2024-01-01T00:00:00.000000002Z',
    sites: ['b.com', 'a.com'],
    mails: ['b@b.com'],
    phones: ['+442079460018'],
    place: place('Bonn', 'A'),
    color: 'Blue',
    colors: ['Green', 'Red'],
    state: 'Doing',
    actor: member.id,
    others: to('companies', zoo),
  })
  await make('b', 'things', {
    name: 'A',
    amount: 10,
    stars: 2,
    price: 10,
    done: false,
    day: '2024-01-01',
    moment: '2024-01-01T00:00:00.000000001Z',
    sites: ['a.com', 'z.com'],
    mails: ['a@c.com'],
    phones: ['+14155550100'],
    place: place('aachen', 'B'),
    color: 'Red',
    colors: ['Blue'],
    state: 'Done',
    parent: a,
    others: to('people', max),
  })
  await make('c', 'things', { name: 'b', color: 'Green', others: to('companies', arc), actor: undefined })
  await make('d', 'things', {})
})

const place = (locality: string, region: string) => ({
  line_1: null,
  line_2: null,
  line_3: null,
  line_4: null,
  postcode: null,
  country_code: null,
  latitude: null,
  longitude: null,
  locality,
  region,
})

async function order(object: string, sorts: unknown, more: object = {}): Promise<string> {
  const { status, body } = await service.request('POST', `/v2/objects/${object}/records/query`, { sorts, ...more })
  if (status !== 200) return `${status} ${body.code}`
  return body.data.map((record: { id: { record_id: string } }) => names.get(record.id.record_id)).join('')
}

type Sort = { attribute?: string; path?: string[][]; field?: string }

/** A sort, and the resulting orders, ascending and descending. */
const CASES: [object: string, sort: Sort, asc: string, desc: string][] = [
  ['things', { attribute: 'name' }, 'bacd', 'acbd'],
  ['things', { attribute: 'amount' }, 'abcd', 'bacd'],
  ['things', { attribute: 'stars', field: 'value' }, 'abcd', 'bacd'],
  ['things', { attribute: 'price' }, 'abcd', 'bacd'],
  ['things', { attribute: 'done' }, 'bacd', 'abcd'],
  ['things', { attribute: 'day' }, 'bacd', 'abcd'],
  ['things', { attribute: 'moment' }, 'bacd', 'abcd'],
  ['things', { attribute: 'created_at' }, 'abcd', 'dcba'],
  ['things', { attribute: 'updated_at' }, 'abcd', 'dcba'],
  ['things', { attribute: 'record_id' }, 'abcd', 'dcba'],
  ['things', { attribute: 'sites' }, 'bacd', 'abcd'],
  ['things', { attribute: 'sites', field: 'root_domain' }, 'bacd', 'abcd'],
  ['things', { attribute: 'mails' }, 'bacd', 'abcd'],
  ['things', { attribute: 'mails', field: 'email_domain' }, 'abcd', 'bacd'],
  ['things', { attribute: 'mails', field: 'email_local_specifier' }, 'bacd', 'abcd'],
  ['things', { attribute: 'phones' }, 'bacd', 'abcd'],
  ['things', { attribute: 'phones', field: 'country_code' }, 'abcd', 'bacd'],
  ['things', { attribute: 'place' }, 'bacd', 'abcd'],
  ['things', { attribute: 'place', field: 'region' }, 'abcd', 'bacd'],
  ['things', { attribute: 'color' }, 'bcad', 'acbd'],
  ['things', { attribute: 'colors' }, 'abcd', 'bacd'],
  ['things', { attribute: 'state' }, 'abcd', 'bacd'],
  ['things', { attribute: 'state', field: 'active_from' }, 'abcd', 'bacd'],
  ['things', { attribute: 'actor' }, 'abcd', 'abcd'],
  ['things', { attribute: 'created_by' }, 'abcd', 'abcd'],
  ['things', { attribute: 'parent' }, 'bacd', 'bacd'],
  ['things', { attribute: 'parent', field: 'target_record_id' }, 'bacd', 'bacd'],
  // The labels are arc.com, Max Mustermann and zoo.
  ['things', { attribute: 'others' }, 'cbad', 'abcd'],
  ['people', { attribute: 'name' }, 'NME', 'MNE'],
  ['people', { attribute: 'name', field: 'last_name' }, 'MNE', 'NME'],
  ['people', { attribute: 'company' }, 'EMN', 'MNE'],
  [
    'people',
    {
      path: [
        ['people', 'company'],
        ['companies', 'name'],
      ],
    },
    'MNE',
    'MNE',
  ],
  [
    'people',
    {
      path: [
        ['people', 'company'],
        ['companies', 'domains'],
      ],
    },
    'EMN',
    'EMN',
  ],
  [
    'people',
    {
      path: [
        ['people', 'company'],
        ['companies', 'created_at'],
      ],
    },
    'MNE',
    'EMN',
  ],
  // The newest record of the team comes first.
  ['companies', { attribute: 'team' }, 'ZA', 'AZ'],
  [
    'companies',
    {
      path: [
        ['companies', 'team'],
        ['people', 'name'],
      ],
      field: 'last_name',
    },
    'ZA',
    'ZA',
  ],
  ['companies', { attribute: 'team', field: 'target_record_id' }, 'AZ', 'ZA'],
  [
    'companies',
    {
      path: [
        ['companies', 'team'],
        ['people', 'company'],
        ['companies', 'name'],
      ],
    },
    'ZA',
    'ZA',
  ],
  [
    'things',
    {
      path: [
        ['things', 'others'],
        ['people', 'name'],
      ],
    },
    'bacd',
    'bacd',
  ],
]

describe('POST /v2/objects/{object}/records/query, 200 in order of', () => {
  test.each(CASES)('%s by %j', async (object, sort, asc, desc) => {
    const inOrder = await order(object, [{ direction: 'asc', ...sort }])
    const reversed = await order(object, [{ direction: 'desc', ...sort }])
    expect([inOrder, reversed]).toEqual([asc, desc])
    expect(await readAllPages(object, [{ direction: 'asc', ...sort }])).toBe(asc)
    expect(await readAllPages(object, [{ direction: 'desc', ...sort }])).toBe(desc)
  })

  test('creation time, without sorts', async () => {
    expect(await order('things', undefined)).toBe('abcd')
    expect(await order('things', [])).toBe('abcd')
  })

  test('several sorts, of which the first decides first', async () => {
    const sorts = [
      { direction: 'asc', attribute: 'name' },
      { direction: 'desc', attribute: 'created_at' },
    ]
    expect(await order('things', sorts)).toBe('bcad')
  })

  test('pages that together have all records', async () => {
    const sorts = [{ direction: 'desc', attribute: 'color' }]
    const pages = await Promise.all([0, 1, 2, 3, 4].map((offset) => order('things', sorts, { limit: 1, offset })))
    expect(pages).toEqual(['a', 'c', 'b', 'd', ''])
    expect(await order('things', undefined, { limit: 2, offset: 1 })).toBe('bc')
  })
})

/** Reads page by page, with one record each. */
async function readAllPages(object: string, sorts: unknown): Promise<string> {
  let cursor: string | null = null
  let joinedNames = ''
  for (let pages = 0; pages < 10; pages++) {
    const query: { sorts: unknown; limit: number; cursor: string | null } = { sorts, limit: 1, cursor }
    const { body } = await service.request('POST', `/v2/objects/${object}/records/query`, query)
    joinedNames += body.data.map((record: { id: { record_id: string } }) => names.get(record.id.record_id)).join('')
    cursor = body.pagination.next_cursor
    if (cursor === null) return joinedNames
  }
  return `${joinedNames}…`
}
