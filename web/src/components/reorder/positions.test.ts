import { expect, test } from 'bun:test'
import { dropPosition, indexAmongAll, moved } from './positions'

test.each([
  [0, 2, false, 1],
  [0, 2, true, 2],
  [3, 1, false, 1],
  [3, 1, true, 2],
  [1, 1, true, 1],
])('an item of index %d dropped on %d (behind: %p) gets index %d', (from, over, isBehind, to) => {
  expect(dropPosition(from, over, isBehind)).toBe(to)
})

test('an item is moved', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
})

test.each([
  [0, 1, 'xbacy'],
  [0, 2, 'xbcay'],
  [2, 0, 'caxby'],
  [1, 1, 'axbcy'],
])('hidden items keep their order when %d moves to %d', (from, to, expected) => {
  const [a, b, c] = ['a', 'b', 'c']
  const all = ['a', 'x', 'b', 'c', 'y']
  const item = [a, b, c][from] ?? ''
  const index = indexAmongAll(all, ['a', 'b', 'c'], from, to)
  expect(
    all
      .filter((one) => one !== item)
      .toSpliced(index, 0, item)
      .join(''),
  ).toBe(expected)
})
