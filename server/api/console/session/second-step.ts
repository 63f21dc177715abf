/** The second step of a sign-in: a passkey, a code of an authenticator app, or a recovery code. */

import { deletePendingSignIn, findPendingSignIn } from '#access/second-factor/pending-sign-ins'
import { createProofOptions, relyingPartyOf } from '#access/second-factor/webauthn'
import type { Device } from '#access/sessions/sessions'
import { signInExpired } from '#base/errors/access'
import type { AppContext } from '#context'
import { verifySecondFactor } from '#api/console/second-factor/verify'
import type { SecondStepBody } from './schemas'
import { startSession } from './start-session'

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
