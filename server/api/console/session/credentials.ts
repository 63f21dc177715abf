/** Checks an email address and a password. Guesses are limited per network and per account. See docs/decisions/sign-in.md. */

import { authenticateAccount } from '#access/accounts/accounts'
import { auditAccount } from '#access/audit-log/audit'
import { exponentialBackOff, fixedWindow, networkOf } from '#access/throttle/throttle'
import type { Device } from '#access/sessions/sessions'
import { checkGuess, type Limit } from '#access/throttle/guesses'
import { invalidCredentials } from '#base/errors/access'
import type { AppContext } from '#context'

const PER_ADDRESS = fixedWindow(20, 60)
const PER_ACCOUNT = exponentialBackOff(5, 900)

const addressSubject = (address: string) => `address ${networkOf(address)}`
export const accountSubject = (emailAddress: string) => `account ${emailAddress.toLowerCase()}`

/** The limits of guesses from an address on a subject. */
export const limitsOf = (address: string | null, subject: string): Limit[] => [
  ...limitsOfAddress(address),
  { subject, rule: PER_ACCOUNT, clearsOnSuccess: true },
]

export const limitsOfAddress = (address: string | null): Limit[] =>
  address === null ? [] : [{ subject: addressSubject(address), rule: PER_ADDRESS }]

export interface SignInCredentials {
  readonly email_address: string
  readonly password: string
}

/** Returns the account with this address and password. Throws 401 and 429. */
export async function verifyCredentials(
  { db, now }: AppContext,
  { email_address, password }: SignInCredentials,
  { address, userAgent }: Device,
): Promise<{ id: string }> {
  const { account } = await checkGuess(db, limitsOf(address, accountSubject(email_address)), now, async () => {
    const found = await authenticateAccount(db, email_address, password)
    return { isRight: found !== undefined, account: found }
  })
  if (account === undefined) {
    const details = { user_agent: userAgent }
    await auditAccount(db.sql, {
      emailAddress: email_address,
      action: 'sign-in.failed',
      isOwner: false,
      address,
      details,
      now: now(),
    })
    throw invalidCredentials()
  }
  return account
}
