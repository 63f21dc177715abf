/** Signs in with an email address and a password. */

import { BY_PASSWORD, type Device } from '#access/sessions/sessions'
import type { AppContext } from '#context'
import { type Credentials, verifyCredentials } from './credentials'
import { completeFirstStep, type SignInResult } from './start-session'

/** Throws the same 401 for a wrong address and a wrong password, and 429. */
export async function signIn(appContext: AppContext, credentials: Credentials, device: Device): Promise<SignInResult> {
  const { id: accountId } = await verifyCredentials(appContext, credentials, device)
  const account = { accountId, emailAddress: credentials.email_address.toLowerCase() }
  return completeFirstStep(appContext, account, BY_PASSWORD, device)
}
