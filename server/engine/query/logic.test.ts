/** And, or, not. See docs/reference/query.md (One value or several, Filters). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThreeThings, foundThings, type ThreeThings } from './testing/three-things'

const service = useTestService()
let made: ThreeThings
beforeAll(async () => {
  made = await createThreeThings(service.request, service.member)
})

const found = (filter: unknown) => foundThings(service.request, made, filter)

describe('POST /v2/objects/{object}/records/query', () => {
  // The matching records of a, b and c, in the order of their creation.
  test.each<[filter: object, finds: string]>([
    [{}, 'abc'],
    [{ $and: [] }, 'abc'],
    [{ $or: [] }, ''],
    [{ $and: [{}] }, 'abc'],
    [{ $and: [{ amount: { $gt: -5 } }, { done: false }] }, 'b'],
    [{ $or: [{ amount: 1.5 }, { done: false }] }, 'abc'],
    [{ $not: { $or: [{ amount: 1.5 }, { amount: -2 }] } }, 'c'],
    [{ $not: { $not: { amount: 1.5 } } }, 'a'],
    [{ $or: [{ $not: { color: 'Red' } }, { name: { $contains: 'alpha' } }] }, 'abc'],
    [{ amount: { $lt: 5 }, $or: [{ color: 'Red' }, { color: 'Blue' }] }, 'a'],
    [{ amount: 1.5, color: 'Red' }, 'a'],
    [{ $and: [{ amount: 1.5 }], $or: [{ color: 'Green' }] }, ''],
  ])('200 for %j', async (filter, finds) => {
    expect(await found(filter)).toBe(finds)
  })
})
