import { expect, test } from 'bun:test'
import { createTokenBuckets } from './attempt-sender'

test('limits the requests per second to a target', () => {
  let now = 0
  const buckets = createTokenBuckets(2, () => now)
  expect([buckets.take('a'), buckets.take('a'), buckets.take('a'), buckets.take('b')]).toEqual([0, 0, 500, 0])
  now = 1000
  expect(buckets.take('a')).toBe(0)
})

test('has no limit with 0 per second', () => {
  const buckets = createTokenBuckets(0)
  for (let count = 0; count < 100; count++) expect(buckets.take('a')).toBe(0)
})

test('forgets the least recently used target when it has too many', () => {
  const buckets = createTokenBuckets(1, () => 0, 2)
  expect([buckets.take('a'), buckets.take('b'), buckets.take('a'), buckets.take('c')]).toEqual([0, 0, 1000, 0])
  expect(buckets.take('a')).toBe(2000)
  expect(buckets.take('b')).toBe(0)
})
