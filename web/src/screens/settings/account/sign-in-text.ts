/** How a session began, in words. */

import type { AccountSession } from '../../../api/access/account'

const SECOND = { passkey: 'passkey', totp: 'code', 'recovery-code': 'recovery code', provider: 'its second factor' }

const FIRST = { password: 'Password', passkey: 'Passkey', provider: 'Provider' }

/** "Password and passkey". */
export function signInText({ method, second_factor }: Pick<AccountSession, 'method' | 'second_factor'>): string {
  const first = FIRST[method]
  // A passkey in place of the password is the second factor as well.
  return second_factor === null || method === 'passkey' ? first : `${first} and ${SECOND[second_factor]}`
}
