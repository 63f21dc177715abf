import { expect, test } from 'bun:test'
import { createLru } from './caching'

const filled = (most: number, ...keys: string[]) => {
  const lru = createLru<string, number>(most)
  for (const [index, key] of keys.entries()) lru.set(key, index)
  return lru
}

test('a full cache replaces the least recently used entry', () => {
  const lru = filled(2, 'a', 'b', 'c')
  expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.size]).toEqual([undefined, 1, 2, 2])
})

test('reading or setting an entry makes it the most recently used', () => {
  const lru = filled(3, 'a', 'b', 'c')
  lru.get('a')
  lru.set('b', 9)
  lru.set('d', 3)
  expect([...lru.keys()]).toEqual(['a', 'b', 'd'])
  expect(lru.get('b')).toBe(9)
})

test('reading a missing entry changes nothing', () => {
  const lru = filled(2, 'a', 'b')
  lru.get('x')
  expect([...lru.keys()]).toEqual(['a', 'b'])
})

test('a removed entry is missing, and can be set again', () => {
  const lru = filled(2, 'a', 'b')
  lru.delete('b')
  expect(lru.get('b')).toBeUndefined()
  lru.set('b', 5)
  expect(lru.get('b')).toBe(5)
  lru.clear()
  expect([lru.size, lru.get('a')]).toEqual([0, undefined])
})

test('the cache never exceeds its size', () => {
  const lru = createLru<number, number>(10)
  for (let index = 0; index < 1000; index++) {
    lru.set(index % 37, index)
    lru.get(index % 11)
    expect(lru.size).toBeLessThanOrEqual(10)
  }
})
