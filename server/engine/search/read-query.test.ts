import { describe, expect, test } from 'bun:test'
import { readSearchQuery } from './words'

const wordsOf = (text: string) => readSearchQuery(text).terms.map(({ word }) => word)

describe('a query', () => {
  test.each([
    ['Ada  LOVELACE', ['ada', 'lovelace']],
    ['ada@example.com', ['ada', 'example', 'com']],
    ['https://www.linkedin.com/in/ada-l/', ['ada', 'l']],
    ['https://example.com', ['example', 'com']],
    ['!!!', []],
    ['   ', []],
  ])('%j has words', (text, words) => expect(wordsOf(text)).toEqual(words))

  test.each([
    ['+421 901 234 567', ['421901234567']],
    ['00421 901 234 567', ['00421901234567', '421901234567']],
    ['0901/234-567', ['0901234567', '901234567']],
    ['(0901) 234 567', ['0901234567', '901234567']],
    ['+44 (0)20 7946 0958', ['442079460958']],
    ['8 912 345 67 89', ['89123456789', '9123456789']],
    ['06 30 123 4567', ['06301234567', '6301234567', '301234567']],
    ['234', ['234']],
    ['23', []],
    ['1'.repeat(20), []],
    ['ada 234', []],
    ['-', []],
  ])('%j is read as the telephone number', (text, digits) => expect(readSearchQuery(text).digits).toEqual(digits))

  test('has words that may be part of a telephone number', () => {
    expect(readSearchQuery('ada 0901').terms).toEqual([
      { word: 'ada', digits: [] },
      { word: '0901', digits: ['0901', '901'] },
    ])
  })
})
