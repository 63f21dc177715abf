/** Signs in with an email address and a password. */

import { BY_PASSKEY, BY_PASSWORD, type Device, type SessionCookie } from '#access/sessions/sessions'
import type { AppContext } from '#context'
import { type SignInCredentials, limitsOf, limitsOfAddress, verifyCredentials } from './credentials'
import { completeFirstStep, type SignInResult, startSession } from './session'
import { withCookie } from '#api/console/console-context'
import { auditAccount } from '#access/audit-log/audit'
import { findPasskeyOwner, type PasskeyOwner } from '#access/second-factor/passkeys'
import { acceptSignIn, createProofOptions, createSignInOptions, relyingPartyOf } from '#access/second-factor/webauthn'
import { checkGuess } from '#access/throttle/guesses'
import { claimAttempt, fixedWindow, networkOf } from '#access/throttle/throttle'
import { signInExpired, wrongPasskey } from '#base/errors/access'
import type { PasskeyAnswer } from '#api/console/second-factor/schemas'
import { verifySecondFactor, withoutUndefined } from '#api/console/second-factor/verify'
import { deletePendingSignIn, findPendingSignIn } from '#access/second-factor/pending-sign-ins'
import type { SecondStepBody } from './schemas'

/** Throws the same 401 for a wrong address and a wrong password, and 429. */
export async function signIn(
  appContext: AppContext,
  credentials: SignInCredentials,
  device: Device,
): Promise<SignInResult> {
  const { id: accountId } = await verifyCredentials(appContext, credentials, device)
  const account = { accountId, emailAddress: credentials.email_address.toLowerCase() }
  return completeFirstStep(appContext, account, BY_PASSWORD, device)
}

/** Returns an answer with the cookie of the session, or with what the second step needs. */
export const answerSignIn = (cookie: SessionCookie, result: SignInResult, data: object = {}): object =>
  'sessionToken' in result
    ? withCookie(cookie.set(result.sessionToken), data)
    : { data: { ...data, second_factor: { token: result.pendingToken, methods: result.factors } } }

/** Signs in with a passkey in place of the password. See docs/reference/sign-in.md (Passkey in place of the password). */
const BEGUN_PER_ADDRESS = fixedWindow(30, 60)

/** Throws 429. */
export async function createPasskeySignInOptions(
  { db, now, settings }: AppContext,
  address: string | null,
): Promise<object> {
  if (address !== null) await claimAttempt(db, `passkey from ${networkOf(address)}`, BEGUN_PER_ADDRESS, now())
  return createSignInOptions({ sql: db.sql, relyingParty: relyingPartyOf(settings) }, now())
}

/** Returns the token of a new session. Throws 401 and 429. The limits are those of second factors. */
export async function signInWithPasskey(
  appContext: AppContext,
  answer: PasskeyAnswer,
  device: Device,
): Promise<string> {
  const { db, now, settings } = appContext
  const owner = await findPasskeyOwner(db.sql, answer.id)
  const limits =
    owner === undefined ? limitsOfAddress(device.address) : limitsOf(device.address, `second factor ${owner.accountId}`)
  const { isRight } = await checkGuess(db, limits, now, async () => {
    if (owner === undefined) return { isRight: false }
    const account = { ...owner, sql: db.sql, relyingParty: relyingPartyOf(settings) }
    return { isRight: await acceptSignIn(account, withoutUndefined(answer), now()) }
  })
  if (isRight && owner !== undefined) return startSession(appContext, owner, BY_PASSKEY, device)
  if (owner !== undefined) await auditFailure(appContext, owner, device)
  throw wrongPasskey()
}

const auditFailure = (
  { db, now }: AppContext,
  { emailAddress }: PasskeyOwner,
  { address, userAgent: user_agent }: Device,
): Promise<void> => {
  const details = { user_agent, method: BY_PASSKEY.method }
  return auditAccount(db.sql, {
    emailAddress,
    action: 'sign-in.failed',
    isOwner: false,
    address,
    details,
    now: now(),
  })
}

// The second step of a sign-in: a passkey, a code of an authenticator app, or a recovery code.

/** Returns the token of a new session. Throws 401 for an expired sign-in and a wrong proof, and 429. */
export async function completeSignIn(
  appContext: AppContext,
  { token, proof }: SecondStepBody,
  device: Device,
): Promise<string> {
  const { db, now } = appContext
  const pending = await findPendingSignIn(db.sql, token, now())
  if (pending === undefined) throw signInExpired()
  await verifySecondFactor(appContext, pending, proof, device)
  if (!(await deletePendingSignIn(db.sql, token))) throw signInExpired()
  const { method, providerSignOutUrl } = pending
  const signIn = { method, secondFactor: proof.method, workspaceId: null, providerSignOutUrl }
  return startSession(appContext, pending, signIn, device)
}

export async function createPasskeyOptions({ db, now, settings }: AppContext, token: string): Promise<object> {
  const pending = await findPendingSignIn(db.sql, token, now())
  if (pending === undefined) throw signInExpired()
  return createProofOptions({ sql: db.sql, ...pending, relyingParty: relyingPartyOf(settings) }, now())
}
