import { expect, test } from 'bun:test'
import { hourBars, successShare } from './figures'

test('24 hours end with the current one, and hours without attempts are empty', () => {
  const figures = { attempts: 4, succeeded: 3, median_duration_ms: 12, p95_duration_ms: 40 }
  const bars = hourBars(
    { hours: [{ hour: '2026-03-01T09:00:00.000000000Z', ...figures }] },
    new Date('2026-03-01T10:30:00Z'),
  )
  expect(bars).toHaveLength(24)
  expect(bars.at(-1)).toEqual({ hour: new Date('2026-03-01T10:00:00Z'), attempts: 0, succeeded: 0, median: null })
  expect(bars.at(-2)).toEqual({ hour: new Date('2026-03-01T09:00:00Z'), attempts: 4, succeeded: 3, median: 12 })
})

test('a share is not rounded up to 100%', () => {
  expect(successShare({ attempts: 0, succeeded: 0 })).toBeNull()
  expect(successShare({ attempts: 5, succeeded: 5 })).toBe(1)
  expect(successShare({ attempts: 10_000, succeeded: 9999 })).toBe(0.999)
})
