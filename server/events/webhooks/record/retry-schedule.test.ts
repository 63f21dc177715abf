import { describe, expect, test } from 'bun:test'
import { MAX_ATTEMPTS, nextAttemptAt } from './retry-schedule'

const SECOND = 1_000_000
const at = Date.UTC(2030, 0, 1) * 1000
const failure = { at, attempts: 1, status: 500 as number | undefined, retryAfter: undefined as string | undefined }

describe('nextAttempt', () => {
  test('waits longer after each attempt, about three days in total', () => {
    const waits = Array.from(
      { length: MAX_ATTEMPTS - 1 },
      (_, index) => ((nextAttemptAt({ ...failure, attempts: index + 1 }, 0.5) ?? 0) - at) / SECOND,
    )
    expect(waits).toEqual([10, 30, 120, 600, 1800, 7200, 21600, 43200, 86400, 97200])
    expect(nextAttemptAt({ ...failure, attempts: MAX_ATTEMPTS }, 0.5)).toBeUndefined()
  })

  test('varies by a tenth in both directions', () => {
    expect(nextAttemptAt(failure, 0)).toBe(at + 9 * SECOND)
    expect(nextAttemptAt(failure, 1)).toBe(at + 11 * SECOND)
  })

  test('makes no further attempt after status 410', () => {
    expect(nextAttemptAt({ ...failure, status: 410 }, 0.5)).toBeUndefined()
  })

  const inTwoMinutes = new Date(at / 1000 + 120_000).toUTCString()
  const cases: [status: number | undefined, retryAfter: string | undefined, seconds: number][] = [
    [429, '60', 60],
    [503, '60', 60],
    [429, inTwoMinutes, 120],
    [429, '0', 1],
    [429, 'Mon, 01 Jan 2029 00:00:00 GMT', 1],
    [429, '86400', 3600],
    [429, 'soon', 10],
    [429, '', 10],
    [429, undefined, 10],
    [429, '-5', 10],
    [500, '60', 10],
    [undefined, '60', 10],
  ]
  test.each(cases)('status %p with Retry-After %p waits %p s', (status, retryAfter, seconds) => {
    expect(nextAttemptAt({ ...failure, status, retryAfter }, 0.5)).toBe(at + seconds * SECOND)
  })
})
