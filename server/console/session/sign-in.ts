/** Signs in with an email address and a password. Guesses are limited per network and per account. Decision 0043. */

import { authenticateAccount } from '../../access/accounts/accounts'
import { auditAccount } from '../../access/audit-log/audit'
import { networkOf } from '../../access/throttle/network'
import { createSession, deleteExpiredSessions, type Device } from '../../access/sessions/sessions'
import { checkGuess, type Limit } from '../../access/throttle/guesses'
import { exponentialBackOff, fixedWindow } from '../../access/throttle/rules'
import { deleteOldAttempts } from '../../access/throttle/store'
import { invalidCredentials } from '../../errors/access'
import type { AppContext } from '../../context'
import type { SignInBody } from './schemas'

const PER_ADDRESS = fixedWindow(20, 60)
const PER_ACCOUNT = exponentialBackOff(5, 900)

export const addressSubject = (address: string) => `address ${networkOf(address)}`
export const accountSubject = (emailAddress: string) => `account ${emailAddress.toLowerCase()}`

type Credentials = Pick<SignInBody, 'email_address' | 'password'>

/** Returns the token of a new session. Throws the same 401 for a wrong address and a wrong password, and 429. */
export async function signIn(appContext: AppContext, credentials: Credentials, device: Device): Promise<string> {
  const { id } = await verifyCredentials(appContext, credentials, device)
  return startSession(appContext, id, credentials.email_address, device)
}

/** Returns the account with this address and password. Throws 401 and 429. */
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

/** Creates a session for an authenticated account and returns its token. */
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
