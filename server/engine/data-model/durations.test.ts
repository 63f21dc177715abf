import { describe, expect, test } from 'bun:test'
import { DURATION_PATTERN } from './find'

const isDuration = (text: string) => new RegExp(DURATION_PATTERN).test(text)

describe('DURATION_PATTERN', () => {
  test.each(['P1Y', 'P1M', 'P2W', 'P3D', 'PT1H', 'PT1.5M', 'PT0S', 'PT1,5S', 'P1Y2M3W4DT5H6M7S'])(
    'accepts %s',
    (text) => {
      expect(isDuration(text)).toBe(true)
    },
  )

  test.each(['', 'P', 'PT', 'P1DT', '-P1D', '+P1D', 'P-1D', 'P1H', 'PT1D', '1D', 'P1.5D', 'p1d', 'P1D ', 'P1M1Y'])(
    'refuses %p',
    (text) => {
      expect(isDuration(text)).toBe(false)
    },
  )
})
