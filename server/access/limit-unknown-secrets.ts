/**
 * Limits look-ups of tokens, sessions and test endpoints that the process has not found before. Anybody may send wrong ones, which must not take the
 * database connections of valid ones. See docs/decisions/overload.md.
 */

import { createLru } from '#base/caching/caching'
import { createConcurrencyLimiter } from '#base/timing/concurrency-limiter'

/** One look-up takes about a millisecond. */
const CONCURRENT_LOOKUPS = { all: 2, ofKey: 2 }
const MAX_WAITING = 1000
const MAX_KNOWN = 10_000

/**
 * Returns a function that finds the same by a secret or its hash. It throws 503 when too many look-ups of unknown secrets wait. How long they
 * wait does not matter: a thousand take about half a second, and the first ones of a process wait for its database connections.
 */
export function limitUnknownSecrets<Found extends {}>(
  find: (hash: string) => Promise<Found | undefined>,
): (hash: string) => Promise<Found | undefined> {
  /** What was found at its last look-up. */
  const known = createLru<string, true>(MAX_KNOWN)
  const limiter = createConcurrencyLimiter<'unknown'>({
    slots: CONCURRENT_LOOKUPS,
    classes: { unknown: CONCURRENT_LOOKUPS },
    maxWaiting: MAX_WAITING,
    refusesLate: false,
  })
  return async (hash) => {
    const isKnown = known.get(hash) === true
    const found = isKnown ? await find(hash) : await limiter.run({ class: 'unknown', key: 'all' }, () => find(hash))
    if (found !== undefined) known.set(hash, true)
    else if (isKnown) known.delete(hash)
    return found
  }
}
