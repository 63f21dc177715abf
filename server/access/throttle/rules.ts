/** How many attempts a limit allows. Decision 0043. */

import type { Micros } from '#base/timing/clock'

export interface Attempts {
  readonly count: number
  /** The start of the window for `fixedWindow`, the time of the last attempt for `exponentialBackOff`. */
  readonly since: Micros
  /** The time of the next attempt that is allowed. */
  readonly freeAt: Micros
}

/** Returns the attempts after one more. */
export type Rule = (before: Attempts | undefined, now: Micros) => Attempts

const SECOND = 1_000_000
export const DAY = 24 * 3600 * SECOND

/** A time before every request. `now` would be too late for a concurrent request that read the clock earlier. */
const FREE: Micros = 0

/** Allows `max` attempts in a window of some seconds, which starts with the first attempt. */
export const fixedWindow =
  (max: number, seconds: number): Rule =>
  (before, now) => {
    const end = before === undefined ? now : before.since + seconds * SECOND
    if (before === undefined || now >= end) return { count: 1, since: now, freeAt: FREE }
    const count = before.count + 1
    return { count, since: before.since, freeAt: count >= max ? end : FREE }
  }

/**
 * Allows some attempts without a pause, then requires a pause that doubles with each attempt. After a day without an
 * attempt, the count starts again.
 */
export const exponentialBackOff =
  (withoutPause: number, longestSeconds: number): Rule =>
  (before, now) => {
    const isFirst = before === undefined || now - before.since >= DAY
    const count = isFirst ? 1 : before.count + 1
    const pause = count < withoutPause ? 0 : Math.min(2 ** Math.min(count - withoutPause, 30), longestSeconds)
    return { count, since: now, freeAt: pause === 0 ? FREE : now + pause * SECOND }
  }
