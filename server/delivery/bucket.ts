/** At most so many requests a second to one target; more wait. Spec: webhooks 6. */

export interface Buckets {
  /** Milliseconds to wait before the next request to `target`; that request is counted. */
  take(target: string): number
}

interface Bucket {
  tokens: number
  at: number
}

/** Beyond this, targets that have not been used for a second are forgotten. */
const MANY = 10_000

/** `perSecond` 0 is no limit. `elapsed` is a clock in milliseconds. */
export function createBuckets(perSecond: number, elapsed: () => number = () => performance.now()): Buckets {
  const buckets = new Map<string, Bucket>()

  const forgetFull = (at: number) => {
    for (const [target, bucket] of buckets) if (at - bucket.at > 1000) buckets.delete(target)
  }

  return {
    take(target) {
      if (perSecond === 0) return 0
      const at = elapsed()
      if (buckets.size > MANY) forgetFull(at)
      const bucket = buckets.get(target) ?? { tokens: perSecond, at }
      bucket.tokens = Math.min(perSecond, bucket.tokens + ((at - bucket.at) * perSecond) / 1000) - 1
      bucket.at = at
      buckets.set(target, bucket)
      return bucket.tokens >= 0 ? 0 : (-bucket.tokens * 1000) / perSecond
    },
  }
}
