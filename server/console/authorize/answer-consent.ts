/**
 * Answers a consent page: issues a code or an error, and returns the redirect that brings it to the app.
 * See docs/reference/access-and-oauth.md (Consent).
 */

import type { Transaction } from '../../../db/connect'
import { audit } from '../../access/audit-log/audit'
import type { ConsoleMember, ConsoleSession, SessionAuthenticator } from '../../http/guard/session-guard'
import { canBeInstalledIn, findApp, type App } from '../../oauth/apps/apps'
import { type AuthorizationError, errorRedirect } from '../../oauth/authorize/authorization-request'
import { issueCode } from '../../oauth/authorize/codes'
import { consumeConsent, type Consent } from '../../oauth/authorize/consents'
import { isRegistered, addParameters } from '../../oauth/apps/redirect-uri'
import type { AppContext } from '../../context'

export interface Decision {
  readonly consentToken: string
  readonly workspaceId: string
  readonly isAllowed: boolean
  readonly address: string | null
  /** Renders a failure of the service for the app. */
  readonly errorOf: (error: unknown) => AuthorizationError
}

/** Returns the redirect of the browser, or undefined when the page has expired and no app can get an answer. */
export async function answerConsent(
  appContext: AppContext,
  authenticator: SessionAuthenticator,
  session: ConsoleSession,
  decision: Decision,
): Promise<string | undefined> {
  const { db, now, settings } = appContext
  const issuer = settings.appUrl
  // Read before the transaction, which must not wait for a second connection while it holds one.
  const [member] = await Promise.allSettled([authenticator.memberOf(session, decision.workspaceId)])
  /** Set when the redirect URI is verified. After that, the app gets every error. */
  let trusted: Consent | undefined
  try {
    return await db.sql.begin(async (tx) => {
      const consent = await consumeConsent(tx, session.id, decision.consentToken, now())
      const app = consent && (await findApp(tx, consent.appId))
      if (consent === undefined || app === undefined || !isRegistered(consent.redirectUri, app.redirect_uris))
        return undefined
      trusted = consent
      const denied = (description: string) =>
        errorRedirect(consent.redirectUri, consent.state, issuer, { error: 'access_denied', description })
      if (!decision.isAllowed) return denied('The person declined')
      if (member.status === 'rejected') throw member.reason
      if (!mayInstall(app, member.value)) return denied('This person may not install this app there')
      const code = await allow(tx, app, consent, member.value, { address: decision.address, now: now() })
      return addParameters(consent.redirectUri, { code, state: consent.state, iss: issuer })
    })
  } catch (error) {
    if (trusted === undefined) throw error
    return errorRedirect(trusted.redirectUri, trusted.state, issuer, decision.errorOf(error))
  }
}

const mayInstall = (app: App, member: ConsoleMember | undefined): member is ConsoleMember =>
  member?.accessLevel === 'admin' && canBeInstalledIn(app, member.workspaceId)

async function allow(
  tx: Transaction,
  app: App,
  consent: Consent,
  { workspaceId, memberId }: ConsoleMember,
  { address, now }: { readonly address: string | null; readonly now: number },
): Promise<string> {
  const { redirectUri, scopes, challenge, state, resource } = consent
  await audit(tx, {
    workspaceId,
    actor: { type: 'workspace-member', id: memberId },
    action: 'app.authorized',
    subject: { type: 'app', id: app.id, name: app.name },
    details: { scopes, redirect_uri: redirectUri, has_state: state !== undefined, has_pkce: challenge !== null },
    address,
    now,
  })
  return issueCode(tx, { workspaceId, appId: app.id, memberId, redirectUri, scopes, challenge, resource }, now)
}
