/**
 * Proof that who redeems a code is who asked for it. RFC 7636;
 * see docs/reference/access-and-oauth.md (Authorization request, Token endpoint).
 */

import { timingSafeEqual } from 'node:crypto'

export type ChallengeMethod = 'S256' | 'plain'

export interface Challenge {
  readonly challenge: string
  readonly method: ChallengeMethod
}

const FORM = /^[A-Za-z0-9\-._~]{43,128}$/

/** Challenges and verifiers are written alike. */
export const isWellFormed = (text: string): boolean => FORM.test(text)

/**
 * Whether a verifier is the one behind the challenge. They come together or not at all: a verifier without a challenge
 * means that somebody took the challenge out of the first request. RFC 9700, 2.1.1.
 */
export function matchesChallenge(challenge: Challenge | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!isWellFormed(verifier)) return false
  const shown = challenge.method === 'S256' ? s256(verifier) : verifier
  return isEqualText(shown, challenge.challenge)
}

export const s256 = (verifier: string): string => new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')

/** In a time that does not depend on where they differ. */
function isEqualText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
