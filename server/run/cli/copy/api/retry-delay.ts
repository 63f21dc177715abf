/** How long a client pauses before it sends a request again. */

const FIRST_MS = 500
const LONGEST_BACK_OFF_MS = 30_000
/** A service that asks for a longer pause gets this one. */
const LONGEST_REQUESTED_MS = 300_000
const LONGEST_HEADER = 100

/** `retry` counts from 0. `retryAfter` is the header, a number of seconds or an HTTP date. */
export function retryDelay(retry: number, retryAfter: string | null, now: number): number {
  const backOff = Math.min(FIRST_MS * 2 ** retry, LONGEST_BACK_OFF_MS)
  const requested = Math.min(readRetryAfter(retryAfter, now) ?? 0, LONGEST_REQUESTED_MS)
  // A date of whole seconds, or of a clock that is slow, can be in the past.
  return Math.max(requested, backOff)
}

function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.length > LONGEST_HEADER) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(time - now, 0)
}
