/** Begins the session of an account after its first step of sign-in, or asks for the second step. */

import { auditAccount } from '#access/audit-log/audit'
import { listFactors, type OwnFactor } from '#access/second-factor/factors'
import { createPendingSignIn } from '#access/second-factor/pending-sign-ins'
import { createSession, type Device, type NewSession, type SignIn } from '#access/sessions/sessions'
import { deleteExpiredSessions } from '#access/sessions/end-sessions'
import { deleteOldAttempts } from '#access/throttle/store'
import type { AppContext } from '#context'

export interface AuthenticatedAccount {
  readonly accountId: string
  readonly emailAddress: string
}

/** How an account signed in, before a second step. */
type FirstStep = Omit<SignIn, 'provenAt'> & Pick<NewSession, 'providerSignOutUrl'>

/** A session, or a token for the second step and the factors that it accepts. */
export type SignInResult =
  { readonly sessionToken: string } | { readonly pendingToken: string; readonly factors: readonly OwnFactor[] }

/** An account with a second factor gets no session yet, unless a provider was responsible for the second factor. */
export async function completeFirstStep(
  appContext: AppContext,
  account: AuthenticatedAccount,
  signIn: FirstStep,
  device: Device,
): Promise<SignInResult> {
  const { db, now } = appContext
  const isComplete = signIn.workspaceId !== null || signIn.secondFactor !== null
  const factors = isComplete ? [] : await listFactors(db.sql, account.accountId)
  if (factors.length === 0) return { sessionToken: await startSession(appContext, account, signIn, device) }
  const { accountId } = account
  const { method, providerSignOutUrl = null } = signIn
  return { pendingToken: await createPendingSignIn(db.sql, { accountId, method, providerSignOutUrl }, now()), factors }
}

/** Creates a session for an authenticated account and returns its token. */
export async function startSession(
  { db, now }: AppContext,
  { accountId, emailAddress }: AuthenticatedAccount,
  signIn: FirstStep,
  device: Device,
): Promise<string> {
  const { method, secondFactor, workspaceId } = signIn
  return db.sql.begin(async (tx) => {
    // The provider of a workspace proves a member of that workspace, not the owner of the account.
    const provenAt = workspaceId === null ? now() : null
    const { token } = await createSession(tx, { accountId, ...device, ...signIn, provenAt }, now())
    const { address, userAgent: user_agent } = device
    const details = { user_agent, method, second_factor: secondFactor }
    await auditAccount(tx, {
      emailAddress,
      action: 'sign-in.succeeded',
      isOwner: true,
      ...(workspaceId !== null && { workspaceId }),
      address,
      details,
      now: now(),
    })
    await deleteExpiredSessions(tx, now())
    await deleteOldAttempts(tx, now())
    return token
  })
}
