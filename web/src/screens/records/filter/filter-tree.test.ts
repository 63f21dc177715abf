import { describe, expect, test } from 'bun:test'
import type { Filter } from '../../../api/records/entities'
import { ANY_OF, type Condition, type Part, replacePart } from './filter-tree'
import { readFilter } from './read-filter'
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

const record = (id: string) => ({ target_object: 'people', target_record_id: id })
const actor = { referenced_actor_type: 'workspace-member', referenced_actor_id: null }
const industry = [
  ['deals', 'company'],
  ['companies', 'industry'],
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

/** The generator of the property test: the same filters in every run. */
function randomFilters(seed: number) {
  let state = seed
  const next = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const pick = <T>(...choices: readonly (() => T)[]): T => choices[next(choices.length)]?.() as T // an index of the list
  const operand = (): unknown =>
    pick<unknown>(
      () => 'x',
      () => 1,
      () => true,
      () => null,
      () => ['p', 'q'],
      () => [],
      () => record('1'),
      () => actor,
    )
  const constraint = (): unknown =>
    pick<unknown>(
      operand,
      () => ({ $eq: operand() }),
      () => ({ $in: operand() }),
      () => ({ first: operand() }),
      () => ({ first: { $lt: 1 } }),
      () => ({ $gt: 1, $lt: 2 }),
    )
  const filter = (depth: number): unknown => {
    const slug = () => `a${next(3)}`
    const leaf = () => ({ [slug()]: constraint() })
    if (depth === 0) return leaf()
    const list = () => Array.from({ length: next(4) }, () => filter(depth - 1))
    return pick<unknown>(
      leaf,
      () => ({ [slug()]: constraint(), [slug()]: constraint() }),
      () => ({ $and: list() }),
      () => ({ $or: list() }),
      () => ({ $or: [{ c: record('1') }, { c: record('2') }] }),
      () => ({ $not: filter(depth - 1) }),
      () => ({ [slug()]: constraint(), $or: list() }),
      () => ({
        path: [
          ['o', 'r'],
          ['p', slug()],
        ],
        constraints: constraint(),
      }),
      () => ({}),
    )
  }
  return () => filter(3) as Filter
}

test('a filter that the builder shows is written as it was read', () => {
  const random = randomFilters(7)
  let shown = 0
  for (let round = 0; round < 5000; round += 1) {
    const filter = random()
    const tree = readFilter(filter)
    if (tree === undefined) continue
    shown += 1
    expect(JSON.stringify(writeFilter(tree))).toBe(JSON.stringify(filter))
  }
  expect(shown).toBeGreaterThan(1000)
})
