/** Returns the signed-in account and its workspaces. Every page of the console reads them first. */

import type { Database } from '#db/connect'
import { findLanguage, hasAccounts, setFirstLanguage } from '#access/accounts/accounts'
import { listWorkspacesOf } from '#access/members/memberships'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext, ServiceSettings } from '#context'
import { findNewestCursor } from '#api/resources/events/read'
import { listRestorableWorkspaces } from '#api/workspace-deletion/deletion'
import { VERSION_TEXT } from '#db/program'
import { readInstallation } from '#access/installation/hold'
import { auditAccount } from '#access/audit-log/audit'
import { listFactors, type OwnFactor } from '#access/second-factor/factors'
import { createPendingSignIn } from '#access/second-factor/pending-sign-ins'
import {
  createSession,
  deleteExpiredSessions,
  type Device,
  type NewSession,
  type SignIn,
} from '#access/sessions/sessions'
import { deleteOldAttempts } from '#access/throttle/throttle'

export async function getSession(appContext: AppContext, session: ConsoleSession | undefined): Promise<object> {
  const { db, settings } = appContext
  if (session === undefined) {
    return {
      is_first_start: !(await hasAccounts(db)),
      csrf_token: null,
      brand: settings.brand,
      trash_days: settings.trashDays,
      account: null,
      session_workspace_id: null,
      workspaces: [],
      deleted_workspaces: [],
      events_cursor: null,
      hold: null,
      version: null,
    }
  }
  const [workspaces, language, eventsCursor] = await Promise.all([
    listWorkspacesOf(db, session),
    findLanguage(db, session.accountId),
    findNewestCursor(appContext),
  ])
  return {
    is_first_start: false,
    csrf_token: session.csrfToken,
    brand: settings.brand,
    /** For how many days deleted records can be restored. */
    trash_days: settings.trashDays,
    account: { id: session.accountId, email_address: session.emailAddress, language: language ?? null },
    /** The only workspace of the session, because its provider signed the account in. */
    session_workspace_id: session.workspaceId,
    workspaces,
    deleted_workspaces: (await listRestorableWorkspaces(db, session)).map(
      ({ workspace_member_id: _, ...workspace }) => workspace,
    ),
    events_cursor: eventsCursor,
    hold: workspaces.some(({ access_level }) => access_level === 'admin') ? await findHold(db) : null,
    version: VERSION_TEXT,
  }
}

/** The addresses of a database that may be a copy, while its webhooks and emails are held. An address is null for a local one. */
async function findHold({ sql }: Database): Promise<object | null> {
  const { stored, hold } = (await readInstallation(sql)) ?? {}
  if (stored === undefined || hold === undefined) return null
  return { held_at: hold.heldAt, served_url: stored.base_url, found_url: hold.found.base_url }
}

/** Begins the session of an account after its first step of sign-in, or asks for the second step. */
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
    const { address, userAgent: user_agent, language } = device
    if (language !== undefined) await setFirstLanguage({ sql: tx }, accountId, language)
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

// Sign-out at the provider that began a session (OpenID Connect RP-Initiated Logout). See docs/reference/sign-in.md (Sign-out).

/** The page to which a provider returns the browser after a sign-out. */
export const signOutRedirectUri = ({ appUrl }: Pick<ServiceSettings, 'appUrl'>): string => `${appUrl}/sign-in`

/** The browser goes to this URL after the end of its session, when it is not null. */
export function renderSignOut({ settings }: AppContext, providerUrl: string | null): object {
  if (providerUrl === null) return { provider_sign_out_url: null }
  const url = new URL(providerUrl)
  url.searchParams.set('post_logout_redirect_uri', signOutRedirectUri(settings))
  return { provider_sign_out_url: url.href }
}
