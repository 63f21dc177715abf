import { describe, expect, test } from 'bun:test'
import { overTargetMs, timeBefore } from './target-time'

const NOW = Date.UTC(2026, 2, 31, 12)

describe('the target time of a status', () => {
  test.each([
    ['P2D', Date.UTC(2026, 2, 29, 12)],
    ['P1W', Date.UTC(2026, 2, 24, 12)],
    ['P1M', Date.UTC(2026, 1, 28, 12)],
    ['P1Y1M', Date.UTC(2025, 1, 28, 12)],
    ['PT1.5H', Date.UTC(2026, 2, 31, 10, 30)],
    ['P1DT30M', Date.UTC(2026, 2, 30, 11, 30)],
    ['PT0,5S', NOW - 500],
  ])('%s before', (duration, time) => expect(timeBefore(NOW, duration)).toBe(time))

  test('is no text of another form', () => expect(timeBefore(NOW, '-P1D')).toBeNaN())

  test.each([
    ['P2D', '2026-03-29T11:00:00.000000000Z', 3_600_000],
    ['P2D', '2026-03-29T13:00:00.000000000Z', 0],
    [null, '2020-01-01T00:00:00.000000000Z', 0],
    ['nonsense', '2020-01-01T00:00:00.000000000Z', 0],
  ])('of %p, since %s, is over by %d ms', (target_time_in_status, active_from, over) => {
    expect(overTargetMs({ active_from, status: { target_time_in_status } }, NOW)).toBe(over)
  })

  test('is not that of a status that ended', () => {
    const status = { target_time_in_status: 'P1D' }
    const ended = { active_from: '2020-01-01T00:00:00Z', active_until: '2020-05-01T00:00:00Z', status }
    expect(overTargetMs(ended, NOW)).toBe(0)
  })

  test('is that of statuses only', () => expect(overTargetMs({ active_from: '2020-01-01T00:00:00Z' }, NOW)).toBe(0))
})
