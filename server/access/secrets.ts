/**
 * Secrets that a client receives once and that the database has as hashes: tokens, sessions, links in emails.
 * See docs/reference/access-and-oauth.md (Secrets and the audit log); docs/decisions/overload.md.
 */
import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { createLru } from '#base/caching/caching'
import { sha256 } from '#base/text/sha256'
import { createConcurrencyLimiter } from '#base/timing/concurrency-limiter'

const randomBytes = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(32)))

/** Returns 256 random bits in 43 characters that need no encoding in a URL. */
export const newSecret = (): string => randomBytes().toString('base64url')

/** Returns 256 random bits in 64 characters, the length of API keys and of tokens of apps. */
export const newToken = (): string => randomBytes().toString('hex')

/** Returns a hash in hex. A secret of 256 random bits needs no salt and no slow hash. */
export const hashSecret = (secret: string): string => sha256(secret)

/** The hash of a secret as a parameter for a bytea column. */
export const hashColumn = (secret: string) => sql<Buffer>`decode(${hashSecret(secret)}, 'hex')`

/** Derives a second secret for another purpose. Only a client that has the first secret can compute it. */
export const derivedSecret = (secret: string, purpose: string): string =>
  new Bun.CryptoHasher('sha256', secret).update(purpose).digest('base64url')

/** Compares two texts in a time that does not depend on where they differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)))

/** One look-up takes about a millisecond. */
const CONCURRENT_LOOKUPS = { all: 2, ofKey: 2 }
const MAX_WAITING = 1000
const MAX_KNOWN = 10_000

/**
 * Limits look-ups of tokens, sessions and test endpoints that the process has not found before. Anybody may send wrong ones, which must
 * not take the database connections of valid ones. Returns a function that finds the same by a secret or its hash. It throws 503 when too many look-ups of unknown secrets wait. How long they
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
