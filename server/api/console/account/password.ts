/** Changes a password, with the current one or with a link from an email. Both end the account's other sessions. */

import { findAccountByEmail, setPassword } from '#access/accounts/accounts'
import { auditAccount } from '#access/audit-log/audit'
import { claimAttempt, deleteAttempts, exponentialBackOff, fixedWindow, networkOf } from '#access/throttle/throttle'
import { createPasswordReset, endPasswordResets, findPasswordReset, passwordIssues } from '#access/accounts/passwords'
import { deletePendingSignIns } from '#access/second-factor/pending-sign-ins'
import { type Device, endSessions } from '#access/sessions/sessions'
import { ApiError } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { linkExpired } from '#base/errors/access'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import { logError } from '#base/logging/log-error'
import type { AppContext } from '#context'
import { passwordResetEmail } from '#crm/email/account-emails'
import { accountSubject, verifyCredentials } from '#api/console/session/credentials'
import type { PasswordBody } from './schemas'

/** Keeps the session of the request. Throws 400 for a wrong current password or a refused new one. */
export async function changePassword(
  appContext: AppContext,
  session: ConsoleSession,
  { current_password, new_password }: PasswordBody,
  device: Device,
): Promise<void> {
  const { db, now } = appContext
  const { accountId, emailAddress } = session
  const issues = passwordIssues(new_password, emailAddress, 'new_password')
  if (issues.length > 0) throw invalidBody(issues)
  await verifyCredentials(appContext, { email_address: emailAddress, password: current_password }, device).catch(
    asWrongPassword,
  )
  await db.sql.begin(async (tx) => {
    await setPassword({ sql: tx }, accountId, new_password)
    await endSessions(tx, session, session.id)
    await deletePendingSignIns(tx, accountId)
    await endPasswordResets(tx, accountId)
    const { address } = device
    await auditAccount(tx, { emailAddress, action: 'password.changed', isOwner: true, address, now: now() })
  })
}

/** A 401 would mean that the session has ended. */
function asWrongPassword(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 401) throw error
  throw invalidBody([{ code: 'invalid', path: ['current_password'], message: 'This is not your current password' }])
}

const REQUESTS_PER_ADDRESS = fixedWindow(20, 60)
const EMAILS_PER_ACCOUNT = exponentialBackOff(3, 3600)

/** Sends a link to the owner of an address. The answer does not wait for it and does not show whether an account exists. */
export async function requestReset(
  appContext: AppContext,
  emailAddress: string,
  address: string | null,
): Promise<void> {
  const { db, now } = appContext
  if (address !== null) await claimAttempt(db, `reset from ${networkOf(address)}`, REQUESTS_PER_ADDRESS, now())
  void sendReset(appContext, emailAddress.toLowerCase()).catch((error: unknown) => {
    const isRateLimited = error instanceof ApiError && error.status === 429
    if (!isRateLimited) logError('The email with a link to set a new password could not be sent.', error)
  })
}

async function sendReset(appContext: AppContext, emailAddress: string): Promise<void> {
  const { db, now, mail, settings } = appContext
  const accountId = await findAccountByEmail(db, emailAddress)
  if (accountId === undefined) return
  await claimAttempt(db, `reset of ${emailAddress}`, EMAILS_PER_ACCOUNT, now())
  const token = await createPasswordReset(db.sql, accountId, now())
  await mail.send(passwordResetEmail(settings, emailAddress, token))
}

/** Throws 404 for a used, expired or unknown link, and 400 for a refused password, after which the link still works. */
export async function resetPassword(
  { db, now }: AppContext,
  token: string,
  password: string,
  address: string | null,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const reset = await findPasswordReset(tx, token, now())
    if (reset === undefined) throw linkExpired()
    const { accountId, emailAddress } = reset
    const issues = passwordIssues(password, emailAddress, 'password')
    if (issues.length > 0) throw invalidBody(issues)
    await setPassword({ sql: tx }, accountId, password)
    await endSessions(tx, { accountId, workspaceId: null })
    await deletePendingSignIns(tx, accountId)
    await endPasswordResets(tx, accountId)
    await deleteAttempts(tx, accountSubject(emailAddress))
    await auditAccount(tx, { emailAddress, action: 'password.reset', isOwner: true, address, now: now() })
  })
}
