import { describe, expect, test } from 'bun:test'
import { readNumber } from './read-number'

describe('readNumber', () => {
  test.each([
    ['0', 0],
    ['-12.5', -12.5],
    ['+3', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['2E-2', 0.02],
  ])('reads %s', (text, number) => {
    expect(readNumber(text)).toBe(number)
  })

  test.each(['', ' ', '12 kg', '1,5', '1,000', '--1', '.', 'e5', '0x10', 'Infinity', 'NaN', '1e999', '1'.repeat(401)])(
    'refuses %s',
    (text) => {
      expect(readNumber(text)).toBeUndefined()
    },
  )
})
