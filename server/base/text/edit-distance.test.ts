import { expect, test } from 'bun:test'
import { editDistances } from './edit-distance'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'abcd', 1],
  ['abc', 'bc', 1],
  ['nmae', 'name', 1],
  ['kitten', 'sitting', 3],
])('%j to %j: %d', (from, to, distance) => {
  expect(editDistances(from, to).at(-1)).toBe(distance)
})

test('has one distance for each prefix, also of characters of two units', () => {
  expect(editDistances('ab', 'abc')).toEqual([2, 1, 0, 1])
  expect(editDistances([...'🎉x'], [...'🎉y'])).toEqual([2, 1, 1])
})
