import { describe, expect, test } from 'bun:test'
import { type Condition, readConditions, writeFilter } from './conditions'

const one = (attribute: string, operator: string, operand: unknown, rest: Partial<Condition> = {}): Condition => ({
  attribute,
  operator,
  operand,
  field: null,
  isNegated: false,
  ...rest,
})

const target = { target_object: 'people', target_record_id: '11111111-1111-4111-8111-111111111111' }
const actor = { referenced_actor_type: 'workspace-member', referenced_actor_id: null }

describe('filters as rows', () => {
  test.each([
    ['nothing', {}, '$and', []],
    ['a shorthand', { name: 'Ada' }, '$and', [one('name', '$eq', 'Ada')]],
    ['an operator', { name: { $contains: 'a' } }, '$and', [one('name', '$contains', 'a')]],
    ['a field', { mail: { email_domain: 'x.com' } }, '$and', [one('mail', '$eq', 'x.com', { field: 'email_domain' })]],
    ['several attributes', { a: 1, b: { $gt: 2 } }, '$and', [one('a', '$eq', 1), one('b', '$gt', 2)]],
    ['a negation', { $not: { a: 1 } }, '$and', [one('a', '$eq', 1, { isNegated: true })]],
    [
      'either of two',
      { $or: [{ a: 1 }, { $not: { b: 2 } }] },
      '$or',
      [one('a', '$eq', 1), one('b', '$eq', 2, { isNegated: true })],
    ],
    [
      'both of two',
      { $and: [{ a: 1, c: 3 }, { b: 2 }] },
      '$and',
      [one('a', '$eq', 1), one('c', '$eq', 3), one('b', '$eq', 2)],
    ],
    ['a record', { company: target }, '$and', [one('company', '$eq', target)]],
    ['an actor', { owner: actor }, '$and', [one('owner', '$eq', actor)]],
  ] as const)('%s', (_, filter, join, list) => {
    expect(readConditions(filter)).toEqual({ join, list: [...list] })
  })

  test.each([
    ['a path', { path: [['deals', 'company']], constraints: {} }],
    ['something within something', { $and: [{ $or: [{ a: 1 }, { b: 2 }] }] }],
    ['several operators on one value', { a: { $gt: 1, $lt: 3 } }],
    ['either with two attributes in one', { $or: [{ a: 1, b: 2 }, { c: 3 }] }],
    ['a negation of several', { $not: { a: 1, b: 2 } }],
    ['a negation of a negation', { $not: { $not: { a: 1 } } }],
    ['several logical members', { $and: [{ a: 1 }], b: 2 }],
  ])('%s is left to JSON', (_, filter) => {
    expect(readConditions(filter)).toBeUndefined()
  })
})

describe('rows as a filter', () => {
  test.each([
    [{}, []],
    [{ name: { $eq: 'Ada' } }, [one('name', '$eq', 'Ada')]],
    [
      { $and: [{ a: { $eq: 1 } }, { $not: { b: { f: { $gt: 2 } } } }] },
      [one('a', '$eq', 1), one('b', '$gt', 2, { field: 'f', isNegated: true })],
    ],
    [{ company: target }, [one('company', '$eq', target)]],
    [
      { a: { $eq: false } },
      [one('a', '$eq', false), one('unwritten', '$eq', undefined), one('empty', '$contains', '')],
    ],
  ])('%j', (filter, list) => {
    expect(writeFilter({ join: '$and', list })).toEqual(filter)
    expect(readConditions(filter)).toBeDefined()
  })
})
