/** Limits the requests per second to one target. Further requests wait. See docs/reference/webhooks-and-events.md (Attempts). */

import { createLru } from '#base/caching/caching'

export interface TokenBuckets {
  /** Counts a request to `target`, and returns the milliseconds to wait before it. */
  take(target: string): number
}

interface Bucket {
  tokens: number
  at: number
}

/** An empty bucket is full after a second, and a process sends to fewer targets in a second. */
const MAX_BUCKETS = 10_000

/** A `perSecond` of 0 means no limit. `elapsed` is a clock in milliseconds. */
export function createTokenBuckets(
  perSecond: number,
  elapsed: () => number = () => performance.now(),
  maxBuckets = MAX_BUCKETS,
): TokenBuckets {
  const buckets = createLru<string, Bucket>(maxBuckets)

  return {
    take(target) {
      if (perSecond === 0) return 0
      const at = elapsed()
      const bucket = buckets.get(target) ?? { tokens: perSecond, at }
      bucket.tokens = Math.min(perSecond, bucket.tokens + ((at - bucket.at) * perSecond) / 1000) - 1
      bucket.at = at
      buckets.set(target, bucket)
      return bucket.tokens >= 0 ? 0 : (-bucket.tokens * 1000) / perSecond
    },
  }
}
