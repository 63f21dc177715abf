/**
 * Secrets that are handed out once and kept as hashes: sessions, links that are sent.
 * See docs/reference/access-and-oauth.md (Secrets and the audit log).
 */

import { timingSafeEqual } from 'node:crypto'

/** 256 random bits in 43 characters that stand in any URL. */
export const newSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

/** In hex. A secret of 256 random bits needs no salt and no slow hash. */
export const hashSecret = (secret: string): string => new Bun.CryptoHasher('sha256').update(secret).digest('hex')

/** A second secret that only who holds the first can know, for another purpose. */
export const derivedSecret = (secret: string, purpose: string): string =>
  new Bun.CryptoHasher('sha256', secret).update(purpose).digest('base64url')

/** Whether two texts are the same, without telling by the time where they differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)))
