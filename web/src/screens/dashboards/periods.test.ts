import { expect, test } from 'bun:test'
import { periodName, periodsBetween } from './periods'

test.each([
  ['day', '2026-02-27', '2026-03-01', ['2026-02-27', '2026-02-28', '2026-03-01']],
  ['week', '2026-03-23', '2026-04-06', ['2026-03-23', '2026-03-30', '2026-04-06']],
  ['month', '2025-11-01', '2026-01-01', ['2025-11-01', '2025-12-01', '2026-01-01']],
  ['quarter', '2025-10-01', '2026-04-01', ['2025-10-01', '2026-01-01', '2026-04-01']],
  ['year', '2024-01-01', '2026-01-01', ['2024-01-01', '2025-01-01', '2026-01-01']],
] as const)('the periods by %s from %s to %s', (step, first, last, periods) => {
  expect(periodsBetween(step, first, last)).toEqual(periods)
})

test('at most 1,000 periods', () => {
  expect(periodsBetween('day', '1000-01-01', '2026-01-01')).toHaveLength(1000)
})

test.each([
  ['quarter', '2026-04-01', 'Q2 2026'],
  ['year', '2026-01-01', '2026'],
  ['month', 'never', 'never'],
] as const)('the name of a %s from %s', (step, day, name) => expect(periodName(step, day)).toBe(name))
