/**
 * Secrets that a client receives once and that the database has as hashes: tokens, sessions, links in emails.
 * See docs/reference/access-and-oauth.md (Secrets and the audit log).
 */

import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { sha256 } from '#base/text/sha256'

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
