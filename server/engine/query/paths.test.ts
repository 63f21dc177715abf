/** Paths over references of every kind, from either side. See docs/reference/query.md (Paths). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThingAttribute, createThing, createThings } from './testing/things'

const service = useTestService()
const names = new Map<string, string>()

beforeAll(async () => {
  const { request } = service
  await createThings(request)
  // A one-to-one relationship, so that both sides have one value and one side is derived.
  await createThingAttribute(request, 'things', {
    api_slug: 'twin',
    type: 'record-reference',
    config: { record_reference: { allowed_objects: ['companies'] } },
    relationship: { object: 'companies', title: 'Twin', api_slug: 'twin', is_multiselect: false },
  })
  const make = async (name: string, object: string, values: Record<string, unknown>) => {
    const id = await createThing(request, object, values)
    names.set(id, name)
    return id
  }
  const acme = await make('A', 'companies', { name: 'Acme', domains: ['acme.com'] })
  const beta = await make('B', 'companies', { name: 'Beta' })
  await make('C', 'companies', {})
  const ada = await make('1', 'people', { name: 'Lovelace, Ada', email_addresses: ['ada@acme.com'], company: acme })
  const bob = await make('2', 'people', { name: 'Builder, Bob', company: beta })
  const cleo = await make('3', 'people', { email_addresses: ['cleo@nile.com'], company: acme })
  await make('4', 'people', {})
  const deal = { stage: 'Lead', owner: service.member.email_address }
  await make('x', 'deals', { ...deal, name: 'Big', associated_company: acme, associated_people: [ada, bob] })
  await make('y', 'deals', {
    ...deal,
    name: 'Small',
    associated_company: beta,
    associated_people: [cleo],
    stage: 'Lost',
  })
  await make('z', 'deals', { ...deal, name: 'Lonely' })
  const reference = (target_object: string, target_record_id: string) => ({ target_object, target_record_id })
  const root = await make('r', 'things', { name: 'Root', twin: acme })
  const middle = await make('s', 'things', {
    name: 'Middle',
    parent: root,
    others: [reference('people', ada), reference('companies', beta)],
  })
  await make('t', 'things', { name: 'Leaf', parent: middle, others: [reference('companies', acme)] })
})

async function found(object: string, filter: unknown): Promise<string> {
  const { status, body } = await service.request('POST', `/v2/objects/${object}/records/query`, { filter })
  if (status !== 200) return `${status} ${body.code} ${body.message}`
  return body.data.map((record: { id: { record_id: string } }) => names.get(record.id.record_id)).join('')
}

/** `people.company > companies.name` as a path. */
const through = (path: string, constraints: unknown) => ({
  path: path.split(' > ').map((segment) => segment.split('.')),
  constraints,
})

const CASES: [title: string, object: string, filter: object, finds: string][] = [
  ['one segment', 'people', through('people.name', 'Ada Lovelace'), '1'],
  ['to one record', 'people', through('people.company > companies.name', 'Acme'), '13'],
  ['old singular names', 'people', through('person.company > company.name', { $contains: 'AC' }), '13'],
  [
    'several fields',
    'people',
    through('people.company > companies.domains', { root_domain: 'acme.com', domain: { $ends_with: '.com' } }),
    '13',
  ],
  ['to a unique value', 'people', through('people.company > companies.domains', 'acme.com'), '13'],
  ['no such record', 'people', through('people.company > companies.name', 'Nobody'), ''],
  ['presence at the end', 'people', through('people.company > companies.domains', { $not_empty: true }), '13'],
  ['from the derived side', 'companies', through('companies.team > people.name', { last_name: 'Builder' }), 'B'],
  [
    'from the derived side, $not',
    'companies',
    {
      $not: through('companies.team > people.name', { last_name: 'Builder' }),
    },
    'AC',
  ],
  ['stored lists', 'people', through('people.associated_deals > deals.stage', 'Lead'), '12'],
  [
    'derived lists',
    'deals',
    through('deals.associated_people > people.email_addresses', { email_domain: 'acme.com' }),
    'x',
  ],
  ['derived from one', 'companies', through('companies.associated_deals > deals.name', 'Small'), 'B'],
  [
    'three',
    'companies',
    through('companies.associated_deals > deals.associated_people > people.name', 'Bob Builder'),
    'A',
  ],
  [
    'five',
    'people',
    through(
      'people.company > companies.team > people.associated_deals > deals.associated_company > companies.name',
      'Beta',
    ),
    '13',
  ],
  ['to itself', 'things', through('things.parent > things.parent > things.name', 'Root'), 't'],
  ['one of several objects', 'things', through('things.others > companies.name', { $not_empty: true }), 'st'],
  ['another of them', 'things', through('things.others > people.name', { $not_empty: true }), 's'],
  ['one to one, stored', 'things', through('things.twin > companies.name', 'Acme'), 'r'],
  ['one to one, derived', 'companies', through('companies.twin > things.name', 'Root'), 'A'],
  ['a reference at the end', 'people', through('people.company > companies.team', { $not_empty: true }), '123'],
  [
    'the record itself at the end',
    'people',
    through('people.company > companies.record_id', { $not_empty: true }),
    '123',
  ],
  [
    'beside an attribute',
    'people',
    {
      ...through('people.company > companies.name', 'Acme'),
      email_addresses: { email_domain: 'nile.com' },
    },
    '3',
  ],
  [
    'within logic',
    'people',
    {
      $or: [through('people.company > companies.name', 'Beta'), { email_addresses: 'cleo@nile.com' }],
    },
    '23',
  ],
]

describe('POST /v2/objects/{object}/records/query, 200 by path', () => {
  test.each(CASES)('%s', async (_title, object, filter, finds) => {
    expect(await found(object, filter)).toBe(finds)
  })

  test('200 for derived references', async () => {
    const id = (name: string) => [...names].find(([, each]) => each === name)?.[0]
    expect(await found('companies', { team: { $not_empty: true } })).toBe('AB')
    expect(await found('companies', { $not: { team: { $not_empty: true } } })).toBe('C')
    expect(await found('companies', { team: id('3') })).toBe('A')
    expect(
      await found('companies', { team: { target_object: 'people', target_record_id: { $in: [id('1'), id('2')] } } }),
    ).toBe('AB')
    expect(await found('companies', { team: { target_object: 'deals' } })).toBe('')
    expect(await found('deals', { associated_people: id('2') })).toBe('x')
    expect(await found('deals', { associated_people: { $not_empty: true } })).toBe('xy')
    expect(await found('companies', { twin: { $not_empty: true } })).toBe('A')
  })

  test('200 for attributes and objects by id', async () => {
    const { data } = (await service.request('GET', '/v2/objects/people/attributes')).body
    const company = data.find((attribute: { api_slug: string }) => attribute.api_slug === 'company').id
    const path = [
      [company.object_id, company.attribute_id],
      ['companies', 'name'],
    ]
    expect(await found('people', { path, constraints: 'Beta' })).toBe('2')
    expect(await found(company.object_id, { [company.attribute_id.toUpperCase()]: { $not_empty: true } })).toBe('123')
  })
})
