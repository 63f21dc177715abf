/** The rules of passwords, and their hashes. A password needs a minimum length and must not be a common one. */

import type { ValidationIssue } from '#base/errors/api-error'
import { COMMON_PASSWORDS } from './common-passwords'

export const MIN_PASSWORD = 10
/** The time of hashing grows with the length. */
export const MAX_PASSWORD = 1000

/** Returns why a password is refused, in words that follow "The password", or undefined when it is accepted. */
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

/** Returns the problem of a password as an issue of a member of a request. */
export function passwordIssues(password: string, emailAddress: string, member: string): ValidationIssue[] {
  const problem = passwordProblem(password, emailAddress)
  return problem === undefined ? [] : [{ code: 'invalid', path: [member], message: `The password ${problem}` }]
}

export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })
