import { expect, test } from 'bun:test'
import { createSizedCache } from './compile-sql'

test('the least recently used entries leave first, and the bytes never exceed the limit', () => {
  const cache = createSizedCache<number>(100)
  for (let key = 0; key < 10; key++) cache.set(`k${key}`, key, 10)
  expect(cache.get('k0')).toBe(0)
  cache.set('k10', 10, 5)
  expect([cache.get('k0'), cache.get('k1'), cache.get('k2'), cache.get('k10'), cache.bytes]).toEqual([
    0,
    undefined,
    2,
    10,
    95,
  ])
})

test('an entry that is set again counts once', () => {
  const cache = createSizedCache<number>(100)
  for (let value = 0; value < 50; value++) cache.set('k', value, 10)
  expect([cache.get('k'), cache.bytes]).toEqual([49, 10])
})

test('a value that takes more than a tenth of the cache is not cached', () => {
  const cache = createSizedCache<number>(100)
  cache.set('k', 1, 10)
  cache.set('k', 2, 11)
  expect([cache.get('k'), cache.bytes]).toEqual([undefined, 0])
})
