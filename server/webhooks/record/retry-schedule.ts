/** When a delivery is tried again. See docs/reference/webhooks-and-events.md (Attempts). */

import type { Micros } from '../../timing/clock'

const SECOND = 1_000_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The wait after the first attempt, the second, …; together about three days. */
const WAITS: readonly Micros[] = [
  10 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  27 * HOUR,
]

export const MOST_ATTEMPTS = WAITS.length + 1

/** So that those who failed together do not come back together. */
const SPREAD = 0.1
const LONGEST_RETRY_AFTER = HOUR

export interface Failure {
  /** How many attempts there were, this one included. */
  readonly attempts: number
  readonly at: Micros
  readonly status: number | undefined
  /** The receiver's header, as it sent it. */
  readonly retryAfter: string | undefined
}

/** The instant of the next attempt, or undefined when there is none. `random` is from 0 to 1. */
export function nextAttempt({ attempts, at, status, retryAfter }: Failure, random: number): Micros | undefined {
  const wait = WAITS[attempts - 1]
  // Gone: trying again is not wanted.
  if (wait === undefined || status === 410) return undefined
  const asked = status === 429 || status === 503 ? readRetryAfter(retryAfter, at) : undefined
  return at + (asked ?? Math.round(wait * (1 + SPREAD * (2 * random - 1))))
}

/** Seconds or an HTTP date; at least a second, at most an hour. */
function readRetryAfter(header: string | undefined, now: Micros): Micros | undefined {
  const text = header?.trim() ?? ''
  const until = /^\d+$/.test(text) ? Number(text) * SECOND : isDate(text) ? Date.parse(text) * 1000 - now : NaN
  return Number.isNaN(until) ? undefined : Math.min(Math.max(until, SECOND), LONGEST_RETRY_AFTER)
}

/** Parsers take far more for a date than HTTP allows. */
const isDate = (text: string): boolean => /^[a-z]{3,9}, /i.test(text)
