import { describe, expect, test } from 'bun:test'
import { fixedWindow, type Attempts, exponentialBackOff, type Rule } from './throttle'

const SECOND = 1_000_000

/** Returns the seconds after each attempt until the next one is allowed. `gaps` are the seconds between attempts. */
function pauses(rule: Rule, gaps: readonly number[]): number[] {
  let before: Attempts | undefined
  let now = 0
  return gaps.map((gap) => {
    now += gap * SECOND
    before = rule(before, now)
    return Math.max(0, before.freeAt - now) / SECOND
  })
}

describe('fixedWindow', () => {
  const cases: [name: string, gaps: number[], expected: number[]][] = [
    ['allows its maximum', [0, 0, 0], [0, 0, 60]],
    ['until the time since the first is over', [0, 10, 10], [0, 0, 40]],
    ['counts again after that', [0, 10, 50, 0, 0], [0, 0, 0, 0, 60]],
  ]
  test.each(cases)('%s', (_, gaps, expected) => expect(pauses(fixedWindow(3, 60), gaps)).toEqual(expected))
})

describe('exponentialBackOff', () => {
  const day = 24 * 3600
  const cases: [name: string, gaps: number[], expected: number[]][] = [
    ['some are free, then each pause is twice the last', [0, 0, 0, 1, 2, 4], [0, 0, 1, 2, 4, 8]],
    ['up to a longest one', [0, 0, 0, 1, 2, 4, 8, 10, 10], [0, 0, 1, 2, 4, 8, 10, 10, 10]],
    ['the count starts again after a day', [0, 0, 0, day, 0], [0, 0, 1, 0, 0]],
  ]
  test.each(cases)('%s', (_, gaps, expected) => expect(pauses(exponentialBackOff(3, 10), gaps)).toEqual(expected))
})
