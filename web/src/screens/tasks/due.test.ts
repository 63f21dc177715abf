import { describe, expect, test } from 'bun:test'
import { dayOf, deadlineOf, dueGroupOf, dueLabel } from './due'

const at = (day: number, hour = 12, minute = 0) => new Date(2026, 10, day, hour, minute)

describe('the day of a deadline', () => {
  test('is that of the time zone of the browser', () => {
    expect(dayOf(at(22, 0, 0).toISOString())).toBe('2026-11-22')
    expect(dayOf(at(22, 23, 59).toISOString())).toBe('2026-11-22')
  })
  test('of a task without one is empty', () => expect(dayOf(null)).toBe(''))
  test.each(['2026-11-22', '2024-02-29', '0999-01-01'])(
    '%s is the same after it was made a deadline and read again',
    (day) => {
      expect(dayOf(deadlineOf(day))).toBe(day)
    },
  )
  test.each(['', 'soon', '2026-13-40'])('%p is no deadline', (text) => expect(deadlineOf(text)).toBeNull())
})

describe('the group of a deadline', () => {
  const now = at(22, 15)
  const cases: [string, string | null, string][] = [
    ['none', null, 'none'],
    ['the last minute of yesterday', at(21, 23, 59).toISOString(), 'overdue'],
    ['the first minute of today', at(22, 0).toISOString(), 'today'],
    ['an hour ago', at(22, 14).toISOString(), 'today'],
    ['the last minute of today', at(22, 23, 59).toISOString(), 'today'],
    ['the first minute of tomorrow', at(23, 0).toISOString(), 'upcoming'],
  ]
  test.each(cases)('%s', (_, deadline, group) => expect<string>(dueGroupOf(deadline, now)).toBe(group))
})

describe('the label of a deadline', () => {
  const label = (day: number) => dueLabel(at(day).toISOString(), at(22, 23))
  test.each([
    [22, 'Today'],
    [23, 'Tomorrow'],
    [21, 'Yesterday'],
  ] as const)('%p is %s', (day, text) => expect(label(day)).toBe(text))
  test('is the date on other days, with the year of other years', () => {
    expect(label(25)).toContain('25')
    expect(label(25)).not.toContain('2026')
    expect(dueLabel(new Date(2027, 0, 3).toISOString(), at(22))).toContain('2027')
  })
})
