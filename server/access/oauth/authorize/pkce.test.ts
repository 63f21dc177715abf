import { describe, expect, test } from 'bun:test'
import { matchesChallenge, s256 } from './codes'

// The pair of RFC 7636, appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const hashed = { challenge: CHALLENGE, method: 'S256' } as const
const plain = { challenge: VERIFIER, method: 'plain' } as const

describe('matchesChallenge', () => {
  test.each([
    ['the verifier behind the hash', hashed, VERIFIER, true],
    ['the verifier itself', plain, VERIFIER, true],
    ['neither', null, undefined, true],
    ['another verifier', hashed, VERIFIER.replace('d', 'e'), false],
    ['the challenge in place of the verifier', hashed, CHALLENGE, false],
    ['a hash where the verifier was plain', plain, CHALLENGE, false],
    ['no verifier', hashed, undefined, false],
    ['a verifier without a challenge', null, VERIFIER, false],
    ['a verifier that is too short', { challenge: s256('short'), method: 'S256' } as const, 'short', false],
    [
      'a verifier that is too long',
      { challenge: s256('a'.repeat(129)), method: 'S256' } as const,
      'a'.repeat(129),
      false,
    ],
  ])('%s', (_, challenge, verifier, expected) => {
    expect(matchesChallenge(challenge, verifier)).toBe(expected)
  })
})
