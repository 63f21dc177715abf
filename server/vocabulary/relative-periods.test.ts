import { expect, test } from 'bun:test'
import { parsePeriod, periodName } from './relative-periods'

test.each([
  'overdue',
  'yesterday',
  'today',
  'next_quarter',
  'last_1_day',
  'last_999_days',
  'next_2_weeks',
  'more_than_1_year_ago',
  'in_more_than_12_months',
])('%s is a period', (name) => {
  const period = parsePeriod(name)
  expect(period && periodName(period)).toBe(name)
})

test('a unit may be singular or plural', () => {
  expect(parsePeriod('last_30_day')).toEqual(parsePeriod('last_30_days'))
})

test.each([
  '',
  'Today',
  'today ',
  'this_day',
  'last_0_days',
  'last_01_days',
  'last_1000_days',
  'last_-1_days',
  'last_1.5_days',
  'last_1_hours',
  'more_than_2_days',
  'last_2_days_ago',
  'in_more_than_2_days_ago',
  'overdue_2_days',
  'toString',
  '__proto__',
  'x'.repeat(1_000_000),
])('%.40s is none', (name) => {
  expect(parsePeriod(name)).toBeUndefined()
})
