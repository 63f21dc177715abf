import { expect, test } from 'bun:test'
import { fromLocalTime, hasSeconds, readInstant, toLocalTime } from './local-time'

test('readInstant reads instants, local times and days', () => {
  expect(readInstant('2024-05-06T10:00:00.000Z')).toBe('2024-05-06T10:00:00.000Z')
  expect(readInstant('2024-05-06 10:00')).toBe(new Date('2024-05-06 10:00').toISOString())
  expect(readInstant('May 6, 2024')).toBe(new Date('2024-05-06T00:00:00').toISOString())
  expect(readInstant('soon')).toBeUndefined()
})

test('a local time has seconds only where they are not 0, and is the same instant', () => {
  const times = ['2026-11-21T14:30', '2026-11-21T00:00', '2026-11-21T14:30:05']
  expect(times.map((local) => toLocalTime(fromLocalTime(local)))).toEqual(times)
  expect(times.map(hasSeconds)).toEqual([false, false, true])
  expect(toLocalTime('soon')).toBe('')
})
