import { describe, expect, test } from 'bun:test'
import type { Filter } from '../../../api/records/entities'
import { ANY_OF, type Condition, conditionsOf, type Part, replacePart } from './filter-tree'
import { readFilter } from './read-filter'
import { actor, randomFilters, record } from './testing/random-filters'
import { writeFilter } from './write-filter'

const one = (attribute: string, operator: string, operand: unknown, rest: Partial<Condition> = {}): Condition => ({
  attribute,
  operator,
  operand,
  field: null,
  isNegated: false,
  ...rest,
})

const is = (attribute: string, operand: unknown, rest: Partial<Condition> = {}): Condition =>
  one(attribute, '$eq', operand, { isShort: true, ...rest })

const industry = [
  ['deals', 'company'],
  ['companies', 'industry'],
] as const
const looms = [
  ['visits', 'parent_record'],
  ['mills', 'looms'],
] as const

const cases: readonly (readonly [string, Filter, '$and' | '$or', readonly Part[]])[] = [
  ['nothing', {}, '$and', []],
  ['a shorthand', { name: 'Ada' }, '$and', [is('name', 'Ada')]],
  ['an operator', { name: { $contains: 'a' } }, '$and', [one('name', '$contains', 'a')]],
  ['a field', { mail: { email_domain: 'x.com' } }, '$and', [is('mail', 'x.com', { field: 'email_domain' })]],
  ['several attributes', { a: 1, b: { $gt: 2 } }, '$and', [is('a', 1), one('b', '$gt', 2)]],
  ['a negation', { $not: { a: 1 } }, '$and', [is('a', 1, { isNegated: true })]],
  ['no value', { $not: { a: { $not_empty: true } } }, '$and', [one('a', '$not_empty', true, { isNegated: true })]],
  ['either of two', { $or: [{ a: 1 }, { $not: { b: 2 } }] }, '$or', [is('a', 1), is('b', 2, { isNegated: true })]],
  ['any option', { stage: { $in: ['A', 'B'] } }, '$and', [one('stage', '$in', ['A', 'B'])]],
  ['a record', { company: record('1') }, '$and', [one('company', '$eq', record('1'))]],
  ['the person who looks', { owner: { $relative: 'me' } }, '$and', [one('owner', '$eq', { $relative: 'me' })]],
  [
    'not one of my teams',
    { $not: { owner: { $relative: 'my_teams' } } },
    '$and',
    [one('owner', '$eq', { $relative: 'my_teams' }, { isNegated: true })],
  ],
  ['a period', { day: { $relative: 'last_30_days' } }, '$and', [one('day', '$relative', 'last_30_days')]],
  ['an actor', { owner: actor }, '$and', [one('owner', '$eq', actor)]],
  [
    'any record',
    { $or: [{ company: record('1') }, { company: record('2') }] },
    '$and',
    [one('company', ANY_OF, [record('1'), record('2')])],
  ],
  [
    'no actor of these',
    { $not: { $or: [{ owner: actor }] } },
    '$and',
    [one('owner', ANY_OF, [actor], { isNegated: true })],
  ],
  [
    'groups in groups',
    { $and: [{ $or: [{ a: 1 }, { $and: [{ b: 1 }, { c: 1 }] }] }, { b: 2 }] },
    '$and',
    [{ join: '$or', parts: [is('a', 1), { join: '$and', parts: [is('b', 1), is('c', 1)] }] }, is('b', 2)],
  ],
  [
    'a path over the parent record',
    { path: looms, constraints: { $gt: 4 } },
    '$and',
    [one('looms', '$gt', 4, { path: looms })],
  ],
  [
    'a field at the end of a path, negated',
    { $not: { path: looms, constraints: { unit: { $not_empty: true } } } },
    '$and',
    [one('looms', '$not_empty', true, { path: looms, field: 'unit', isNegated: true })],
  ],
  [
    'any record at the end of a path',
    { $or: ['1', '2'].map((id) => ({ path: looms, constraints: record(id) })) },
    '$and',
    [one('looms', ANY_OF, [record('1'), record('2')], { path: looms })],
  ],
  [
    'a path of one segment',
    { path: [['visits', 'note']], constraints: 'x' },
    '$and',
    [is('note', 'x', { path: [['visits', 'note']] })],
  ],
  [
    'a path',
    { path: industry, constraints: { $eq: 'Steel' } },
    '$and',
    [one('industry', '$eq', 'Steel', { path: industry })],
  ],
]

describe('filters as a tree', () => {
  test.each(cases)('%s', (_, filter, join, parts) => {
    const tree = readFilter(filter)
    expect(tree).toMatchObject({ join, parts: [...parts] })
    expect(tree && writeFilter(tree)).toEqual(filter)
  })

  test.each([
    ['several operators on one value', { a: { $gt: 1, $lt: 3 } }],
    ['several fields of one value', { a: { city: 'x', region: 'y' } }],
    ['a negation of several', { $not: { a: 1, b: 2 } }],
    ['a negated group', { $not: { $or: [{ a: 1 }, { b: 2 }] } }],
    ['a negation of a negation', { $not: { $not: { a: 1 } } }],
    ['an empty list', { $or: [] }],
    ['everything in a list', { $and: [{}, { a: 1 }] }],
    ['no operand', { a: { $in: [] } }],
    ['an unknown logical member', { $nor: [{ a: 1 }] }],
    ['a path beside an attribute', { path: [['deals', 'name']], constraints: 'x', a: 1 }],
    ['a path without segments', { path: [], constraints: 'x' }],
    ['a path without constraints', { path: [['deals', 'name']] }],
    ['several operators at the end of a path', { path: [['deals', 'name']], constraints: { $gt: 1, $lt: 3 } }],
    ['a segment that is no pair', { path: [['deals', 'company'], ['name']], constraints: 'x' }],
  ] as const)('%s is left to JSON', (_, filter) => {
    expect(readFilter(filter as Filter)).toBeUndefined()
  })
})

describe('trees as filters', () => {
  test('conditions without an operand and empty groups are left out', () => {
    const parts = [
      is('a', false),
      one('unwritten', '$eq', undefined),
      one('empty', '$contains', ''),
      one('none', '$in', []),
      { join: '$or', parts: [] } as const,
    ]
    expect(writeFilter({ join: '$and', parts })).toEqual({ a: false })
  })

  test('attributes of one object become a list when one of them appears twice', () => {
    const tree = readFilter({ a: 1, b: 2 })
    expect(tree && writeFilter(replacePart(tree, [1], is('a', 2)))).toEqual({
      $and: [{ a: 1 }, { a: 2 }],
    })
    expect(tree && writeFilter(replacePart(tree, [2], is('c', 3)))).toEqual({
      $and: [{ a: 1 }, { b: 2 }, { c: 3 }],
    })
    expect(tree && writeFilter(replacePart(tree, [0], undefined))).toEqual({ b: 2 })
  })
})

test('a filter that the builder shows is written as it was read', () => {
  const random = randomFilters(7)
  let [shown, withPath] = [0, 0]
  for (let round = 0; round < 5000; round += 1) {
    const filter = random()
    const tree = readFilter(filter)
    if (tree === undefined) continue
    shown += 1
    withPath += conditionsOf(tree).some(({ path = [] }) => path.length > 2) ? 1 : 0
    expect(JSON.stringify(writeFilter(tree))).toBe(JSON.stringify(filter))
  }
  expect(shown).toBeGreaterThan(1000)
  expect(withPath).toBeGreaterThan(100)
})
