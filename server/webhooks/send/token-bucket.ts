/** At most so many requests a second to one target; more wait. See docs/reference/webhooks-and-events.md (Attempts). */

import { createLru } from '../../caching/lru'

export interface TokenBuckets {
  /** Milliseconds to wait before the next request to `target`; that request is counted. */
  take(target: string): number
}

interface Bucket {
  tokens: number
  at: number
}

/** More targets than one process sends to in the second that an empty bucket needs to fill. */
const MOST_BUCKETS = 10_000

/** `perSecond` 0 is no limit. `elapsed` is a clock in milliseconds. */
export function createTokenBuckets(
  perSecond: number,
  elapsed: () => number = () => performance.now(),
  mostBuckets = MOST_BUCKETS,
): TokenBuckets {
  const buckets = createLru<string, Bucket>(mostBuckets)

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
