/** How a session began, in words. */

import type { AccountSession } from '../../../api/access/account'

const SECOND = { passkey: 'passkey', totp: 'code', 'recovery-code': 'recovery code', provider: 'its second factor' }

/** "Password and passkey". */
export function signInText({ method, second_factor }: Pick<AccountSession, 'method' | 'second_factor'>): string {
  const first = method === 'password' ? 'Password' : 'Provider'
  return second_factor === null ? first : `${first} and ${SECOND[second_factor]}`
}
