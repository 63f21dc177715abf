import { describe, expect, test } from 'bun:test'
import { lineAndColumn, offsetOf, wordAt } from './positions'

test.each([
  ['select x', 1, 0],
  ['select x', 8, 7],
  ["select '🐈', x", 13, 13],
  ['select', 99, 6],
  ['select', 0, 0],
])('the offset in %j of character %d is %d', (text, position, offset) => {
  expect(offsetOf(text, position)).toBe(offset)
})

describe('the word at an offset', () => {
  test.each([
    ['select nmae from people', 7, 'nmae'],
    ['select "my name" from people', 7, '"my name"'],
    ["select 'text' from people", 7, "'text'"],
    ['select é_1 from people', 7, 'é_1'],
    ['select 1 +* 2', 9, '+'],
    ['select 🐈', 7, '🐈'],
    ['select (', 8, '('],
    ['select (  \n', 11, '('],
  ])('of %j at %d is %j', (text, offset, word) => {
    const range = wordAt(text, offset)
    expect(text.slice(range?.from, range?.to)).toBe(word)
  })

  test('is absent in a text without words', () => expect(wordAt(' \n ', 1)).toBeUndefined())
})

test.each([
  ['select', 0, { line: 1, column: 1 }],
  ['select\nx', 7, { line: 2, column: 1 }],
  ["select\n '🐈', x", 12, { line: 2, column: 5 }],
])('the place in %j of offset %d', (text, offset, place) => {
  expect(lineAndColumn(text, offset)).toEqual(place)
})
