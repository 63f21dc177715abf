import { describe, expect, test } from 'bun:test'
import { createWordShares } from './word-shares'

const shares = createWordShares(
  1000,
  ['martin', 'exam', 'example', 'maria', '#421', 'mař'],
  [0.02, 0.01, 0.5, 0.02, 0.2, 0.04],
)

describe('the share of records that have', () => {
  test.each([
    ['example', 0.5, 0.5],
    ['exam', 0.01, 0.51],
    ['maria', 0.02, 0.02],
    ['mar', 0, 0.04],
    ['ma', 0, 0.08],
    ['m', 0, 0.08],
    ['x', 0, 0],
    ['a', 0, 0],
    ['#', 0, 0.2],
    ['examples', 0, 0],
  ])('%s: %d, as a prefix %d', (word, share, asPrefix) => {
    expect(shares.shareOf(word)).toBe(share)
    expect(shares.shareOfPrefix(word)).toBeCloseTo(asPrefix, 10)
  })

  test('any word, without statistics: 0', () => {
    const nothing = createWordShares(0, [], [])
    expect([nothing.shareOf('exam'), nothing.shareOfPrefix('e')]).toEqual([0, 0])
  })
})
