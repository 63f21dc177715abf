/** What may be a password, and how it is kept. Length is the rule; the few that everybody tries are refused. */

import type { ValidationIssue } from '../../errors/errors'
import { COMMON_PASSWORDS } from './common-passwords'

export const MIN_PASSWORD = 10
/** Hashing takes time in proportion. */
export const MAX_PASSWORD = 1000

/** Why it cannot be one, in words that follow "The password"; undefined when it can. */
export function passwordProblem(password: string, emailAddress: string): string | undefined {
  const length = [...password].length
  if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`
  if (length > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters`
  const lower = password.toLowerCase()
  const [name = ''] = emailAddress.toLowerCase().split('@')
  if (COMMON_PASSWORDS.has(lower) || new Set(lower).size < 3) return 'is one of those that are tried first'
  if (lower === emailAddress.toLowerCase() || lower === name.repeat(Math.ceil(lower.length / name.length || 1))) {
    return 'must not be the e-mail address'
  }
  return undefined
}

/** The same as a problem of a request's member. */
export function passwordIssues(password: string, emailAddress: string, member: string): ValidationIssue[] {
  const weakness = passwordProblem(password, emailAddress)
  return weakness === undefined ? [] : [{ code: 'invalid', path: [member], message: `The password ${weakness}` }]
}

export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })
