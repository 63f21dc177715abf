import { describe, expect, test } from 'bun:test'
import type { Attribute } from '../../../api/data-model/attributes'
import { usableFilter, usableSorts } from './archived-attributes'

const attribute = (api_slug: string, is_archived: boolean) =>
  ({ api_slug, is_archived, id: { attribute_id: `id of ${api_slug}` } }) as Attribute // the members that are read
const ATTRIBUTES = [attribute('name', false), attribute('stars', true), attribute('owner', true)]

describe('a filter without archived attributes', () => {
  test.each([
    [{}, {}, []],
    [{ name: 'Ada' }, { name: 'Ada' }, []],
    [{ stars: 5 }, {}, ['stars']],
    [{ 'id of stars': 5, name: 'Ada' }, { name: 'Ada' }, ['stars']],
    [{ $and: [{ stars: 5 }, { name: 'Ada' }] }, { $and: [{ name: 'Ada' }] }, ['stars']],
    [{ $or: [{ stars: 5 }, { owner: { $eq: 1 } }] }, {}, ['stars', 'owner']],
    [{ $and: [{ $or: [{ stars: 5 }] }, { $not: { stars: 4 } }, { name: 'Ada' }] }, { $and: [{ name: 'Ada' }] }, ['stars']],
    [{ $not: { name: 'Ada' } }, { $not: { name: 'Ada' } }, []],
    [{ path: [['people', 'stars'], ['companies', 'name']], constraints: 'X' }, {}, ['stars']],
    [{ path: [['people', 'name'], ['companies', 'stars']], constraints: 'X' }, { path: [['people', 'name'], ['companies', 'stars']], constraints: 'X' }, []],
    [{ $and: [], name: { $in: ['stars'] } }, { $and: [], name: { $in: ['stars'] } }, []],
  ])('%j is %j', (filter, present, archived) => {
    const usable = usableFilter(filter, ATTRIBUTES)
    expect(usable.present).toEqual(present)
    expect(usable.archived.map(({ api_slug }) => api_slug)).toEqual(archived)
  }) // prettier-ignore
})

test('sorts without archived attributes', () => {
  const byName = { attribute: 'name', direction: 'asc' } as const
  const byPath = { path: [['people', 'owner'], ['companies', 'name']], direction: 'asc' } as const // prettier-ignore
  const usable = usableSorts([byName, { attribute: 'id of stars', direction: 'desc' }, byPath as never], ATTRIBUTES)
  expect(usable.present).toEqual([byName])
  expect(usable.archived.map(({ api_slug }) => api_slug)).toEqual(['stars', 'owner'])
})
