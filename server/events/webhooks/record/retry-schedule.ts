/** Computes when a failed delivery gets its next attempt. See docs/reference/webhooks-and-events.md (Attempts). */

import type { Micros } from '#base/timing/clock'

const SECOND = 1_000_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delay after the first attempt, after the second, and so on; about three days together. */
const DELAYS: readonly Micros[] = [
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

export const MAX_ATTEMPTS = DELAYS.length + 1

/** Spreads the retries of deliveries that failed together. */
const JITTER = 0.1
const MAX_RETRY_AFTER = HOUR

export interface Failure {
  /** The number of attempts so far, with this one. */
  readonly attempts: number
  readonly at: Micros
  readonly status: number | undefined
  /** The text of the response's `Retry-After` header. */
  readonly retryAfter: string | undefined
}

/** Returns undefined when the delivery gets no further attempt. `random` is from 0 to 1. */
export function nextAttemptAt({ attempts, at, status, retryAfter }: Failure, random: number): Micros | undefined {
  const delay = DELAYS[attempts - 1]
  // 410 Gone means that the receiver refuses retries.
  if (delay === undefined || status === 410) return undefined
  const requested = status === 429 || status === 503 ? parseRetryAfter(retryAfter, at) : undefined
  return at + (requested ?? Math.round(delay * (1 + JITTER * (2 * random - 1))))
}

/** Reads seconds or an HTTP date, and limits the delay to between one second and one hour. */
function parseRetryAfter(header: string | undefined, now: Micros): Micros | undefined {
  const text = header?.trim() ?? ''
  const until = /^\d+$/.test(text) ? Number(text) * SECOND : isDate(text) ? Date.parse(text) * 1000 - now : NaN
  return Number.isNaN(until) ? undefined : Math.min(Math.max(until, SECOND), MAX_RETRY_AFTER)
}

/** `Date.parse` accepts far more formats than HTTP allows. */
const isDate = (text: string): boolean => /^[a-z]{3,9}, /i.test(text)
