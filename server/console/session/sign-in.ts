/** From an address and a password to a session. Guesses are slowed down per place and per account. Decision 0043. */

import { authenticateAccount } from '../../access/accounts/accounts'
import { auditAccount } from '../../access/audit-log/audit'
import { networkOf } from '../../access/throttle/network'
import { createSession, deleteExpiredSessions, type Device } from '../../access/sessions/sessions'
import { checkGuess, type Limit } from '../../access/throttle/guesses'
import { exponentialBackOff, fixedWindow } from '../../access/throttle/rules'
import { deleteOldAttempts } from '../../access/throttle/store'
import { invalidCredentials } from '../../errors/errors'
import type { AppContext } from '../../platform'
import type { SignInBody } from './schemas'

const PER_ADDRESS = fixedWindow(20, 60)
const PER_ACCOUNT = exponentialBackOff(5, 900)

export const addressSubject = (address: string) => `address ${networkOf(address)}`
export const accountSubject = (emailAddress: string) => `account ${emailAddress.toLowerCase()}`

type Credentials = Pick<SignInBody, 'email_address' | 'password'>

/** The token of a new session. Throws 401, whichever of the two is wrong; 429 where too much was tried. */
export async function signIn(appContext: AppContext, given: Credentials, device: Device): Promise<string> {
  const { id } = await verifyCredentials(appContext, given, device)
  return startSession(appContext, id, given.email_address, device)
}

/** The account whose address and password these are. */
export async function verifyCredentials(
  { db, now }: AppContext,
  { email_address, password }: Credentials,
  { address, userAgent }: Device,
): Promise<{ id: string }> {
  const ofAddress = address === null ? [] : [{ subject: addressSubject(address), rule: PER_ADDRESS }]
  const ofAccount: Limit = { subject: accountSubject(email_address), rule: PER_ACCOUNT, clearsOnSuccess: true }
  const { account } = await checkGuess(db, [...ofAddress, ofAccount], now, async () => {
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

/** Begins a session of an account that proved itself. */
export async function startSession(
  { db, now }: AppContext,
  accountId: string,
  emailAddress: string,
  device: Device,
): Promise<string> {
  return db.sql.begin(async (tx) => {
    const { token } = await createSession(tx, accountId, device, now())
    const details = { user_agent: device.userAgent }
    const { address } = device
    await auditAccount(tx, { emailAddress, action: 'sign-in.succeeded', isOwner: true, address, details, now: now() })
    await deleteExpiredSessions(tx, now())
    await deleteOldAttempts(tx, now())
    return token
  })
}
