/**
 * PKCE proves that a code is exchanged by the app that requested it. RFC 7636;
 * see docs/reference/access-and-oauth.md (Authorization request, Token endpoint).
 */

import { isSameSecret } from '#access/secrets'

export type ChallengeMethod = 'S256' | 'plain'

export interface Challenge {
  readonly challenge: string
  readonly method: ChallengeMethod
}

const FORM = /^[A-Za-z0-9\-._~]{43,128}$/

/** Challenges and verifiers have the same form. */
export const isWellFormed = (text: string): boolean => FORM.test(text)

/**
 * Whether a verifier matches a challenge. Both must be present or both absent: a verifier without a challenge shows that an
 * attacker removed the challenge from the authorization request. RFC 9700, 2.1.1.
 */
export function matchesChallenge(challenge: Challenge | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!isWellFormed(verifier)) return false
  const derived = challenge.method === 'S256' ? s256(verifier) : verifier
  return isSameSecret(derived, challenge.challenge)
}

export const s256 = (verifier: string): string => new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')
