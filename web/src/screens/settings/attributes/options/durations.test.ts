import { expect, test } from 'bun:test'
import { durationText, durationOf, spanOf } from './durations'

test.each([
  ['PT12H', { count: 12, unit: 'H' }, '12 hours'],
  ['P1D', { count: 1, unit: 'D' }, '1 day'],
  ['P2W', { count: 2, unit: 'W' }, '2 weeks'],
  ['P6M', { count: 6, unit: 'M' }, '6 months'],
] as const)('%s is a number of one unit', (duration, span, words) => {
  expect(spanOf(duration)).toEqual(span)
  expect(durationOf(span)).toBe(duration)
  expect(durationText(duration)).toBe(words)
})

test.each(['P1DT2H', 'PT5M', 'P12H', 'PT3D', 'P1Y', ''])('%j is shown as it is', (duration) => {
  expect(spanOf(duration)).toBeUndefined()
  expect(durationText(duration)).toBe(duration)
})
