import { Elysia } from 'elysia'
import { type ConsoleContext, deviceOf } from '#api/console/console-context'
import { AccountBody, AccountSessionsAnswer, PasswordBody, ResetBody, ResetRequestBody } from './schemas'
import { Done } from '#api/console/schemas'
import { isUuid } from '#vocabulary/uuids'
import { type Device, endSession, endSessions, listSessions } from '#access/sessions/sessions'
import { linkExpired, sessionNotFound } from '#base/errors/access'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import { findAccountByEmail, languageOfEmail, setLanguage, setPassword } from '#access/accounts/accounts'
import { auditAccount } from '#access/audit-log/audit'
import { claimAttempt, deleteAttempts, exponentialBackOff, fixedWindow, networkOf } from '#access/throttle/throttle'
import { createPasswordReset, endPasswordResets, findPasswordReset, passwordIssues } from '#access/accounts/passwords'
import { deletePendingSignIns } from '#access/second-factor/pending-sign-ins'
import { ApiError } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { logError } from '#base/logging/log-error'
import { passwordResetEmail } from '#crm/email/account-emails'
import { accountSubject, verifyCredentials } from '#api/console/session/credentials'

export const accountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-account' })
    .get(
      ...guard.signedIn('/console/api/sessions', { response: AccountSessionsAnswer }, async ({ session }) => ({
        data: await listOwnSessions(appContext, session),
      })),
    )
    .delete(
      ...guard.signedIn('/console/api/sessions/:session_id', { response: Done }, async ({ session, params }) => {
        await endOwnSession(appContext, session, params.session_id)
        return { data: {} }
      }),
    )
    .patch(
      ...guard.signedIn('/console/api/account', { response: Done, body: AccountBody }, async ({ session, body }) => {
        await setLanguage(appContext.db, session.accountId, body.language)
        return { data: {} }
      }),
    )
    .post(
      ...guard.account('/console/api/password', { response: Done, body: PasswordBody }, async (input) => {
        await changePassword(appContext, input.session, input.body, deviceOf(input))
        return { data: {} }
      }),
    )
    .post(
      ...guard.anyone(
        '/console/api/password-resets',
        { response: Done, body: ResetRequestBody },
        async ({ body, address }) => {
          await requestReset(appContext, body.email_address, address)
          return { data: {} }
        },
      ),
    )
    .post(
      ...guard.anyone(
        '/console/api/password-resets/:token',
        { response: Done, body: ResetBody },
        async ({ params, body, address }) => {
          await resetPassword(appContext, params.token, body.password, address)
          return { data: {} }
        },
      ),
    )

// The sessions of the signed-in account.

/** Returns the session used last first. */
async function listOwnSessions({ db, now }: AppContext, own: ConsoleSession): Promise<object[]> {
  const sessions = await listSessions(db, own, now())
  return sessions.map((session) => ({
    id: session.id,
    user_agent: session.user_agent,
    address: session.address,
    created_at: timestampFromPostgres(session.created_at),
    last_used_at: timestampFromPostgres(session.last_used_at),
    method: session.method,
    second_factor: session.second_factor,
    is_current: session.id === own.id,
  }))
}

/** Throws 404 for a session of another account. */
async function endOwnSession({ db }: AppContext, own: ConsoleSession, id: string): Promise<void> {
  if (!isUuid(id) || !(await endSession(db.sql, own, id))) throw sessionNotFound(id)
}

// Changes a password, with the current one or with a link from an email. Both end the account's other sessions.

/** Keeps the session of the request. Throws 400 for a wrong current password or a refused new one. */
async function changePassword(
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
async function requestReset(appContext: AppContext, emailAddress: string, address: string | null): Promise<void> {
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
  const language = await languageOfEmail(db, emailAddress)
  await mail.send(passwordResetEmail(settings, emailAddress, token, language))
}

/** Throws 404 for a used, expired or unknown link, and 400 for a refused password, after which the link still works. */
async function resetPassword(
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
