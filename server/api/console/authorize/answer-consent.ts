/**
 * Answers a consent page: issues a code or an error for the app.
 * See docs/reference/access-and-oauth.md (Consent).
 */

import type { Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import type { ConsoleMember, ConsoleSession, SessionAuthenticator } from '#api/http/guard/session-guard'
import { type App, canBeInstalledIn, findApp } from '#access/oauth/apps/apps'
import type { AuthorizationError, Refusal } from '#access/oauth/authorize/authorization-request'
import { issueCode } from '#access/oauth/authorize/codes'
import { type Consent, consumeConsent } from '#access/oauth/authorize/consents'
import { addParameters, isRegistered } from '#access/oauth/apps/redirect-uri'
import { mayAuthorize } from '#access/tokens/tokens'
import type { TokenLevel } from '#vocabulary/scopes'
import type { AppContext } from '#context'
import { sessionRequired, untrustedOrigin } from '#base/errors/access'
import { invalidRequest } from '#base/errors/http'
import { standardCode } from '#api/http/guard/oauth-endpoint'
import { readParameters } from '#api/http/request/read-parameters'
import { newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import type { ConsoleContext } from '#api/console/console-context'

export interface ConsentDecision {
  readonly consentToken: string
  readonly workspaceId: string
  readonly isAllowed: boolean
  readonly address: string | null
  /** Renders a failure of the service for the app. */
  readonly errorOf: (error: unknown) => AuthorizationError
}

/** The redirect with a code, or the error for the app. */
type ConsentAnswer = { readonly location: string } | { readonly refusal: Refusal }

/** Returns undefined when the page has expired and no app can get an answer. */
async function answerConsent(
  appContext: AppContext,
  authenticator: SessionAuthenticator,
  session: ConsoleSession,
  decision: ConsentDecision,
): Promise<ConsentAnswer | undefined> {
  const { db, now, settings } = appContext
  const issuer = settings.appUrl
  // Read before the transaction, which must not wait for a second connection while it holds one.
  const [member] = await Promise.allSettled([authenticator.memberOf(session, decision.workspaceId)])
  /** Set when the redirect URI is verified. After that, every error is an answer for the app. */
  let refuse: ((error: AuthorizationError) => ConsentAnswer) | undefined
  try {
    return await db.sql.begin(async (tx) => {
      const consent = await consumeConsent(tx, session.id, decision.consentToken, now())
      const app = consent && (await findApp(tx, consent.appId))
      if (consent === undefined || app === undefined || !isRegistered(consent.redirectUri, app.redirect_uris))
        return undefined
      const { redirectUri, state } = consent
      const refused = (error: AuthorizationError) => ({ refusal: { app, redirectUri, state, error } })
      refuse = refused
      if (!decision.isAllowed) return refused(DECLINED)
      if (member.status === 'rejected') throw member.reason
      if (!mayInstall(app, consent.level, member.value)) return refused(NOT_PERMITTED)
      const code = await allow(tx, app, consent, member.value, { address: decision.address, now: now() })
      return { location: addParameters(redirectUri, { code, state, iss: issuer }) }
    })
  } catch (error) {
    if (refuse === undefined) throw error
    return refuse(decision.errorOf(error))
  }
}

const DECLINED: AuthorizationError = {
  error: 'access_denied',
  description: 'The person declined',
  isByPerson: true,
}

const NOT_PERMITTED: AuthorizationError = {
  error: 'access_denied',
  description: 'This person may not install this app there',
}

const mayInstall = (app: App, level: TokenLevel, member: ConsoleMember | undefined): member is ConsoleMember =>
  member !== undefined && mayAuthorize(member, level) && canBeInstalledIn(app, member.workspaceId)

async function allow(
  tx: Transaction,
  app: App,
  consent: Consent,
  { workspaceId, memberId }: ConsoleMember,
  { address, now }: { readonly address: string | null; readonly now: number },
): Promise<string> {
  const { redirectUri, scopes, challenge, state, resource, level } = consent
  await audit(tx, {
    workspaceId,
    actor: { type: 'workspace-member', id: memberId },
    action: 'app.authorized',
    subject: { type: 'app', id: app.id, name: app.name },
    details: { scopes, level, redirect_uri: redirectUri, has_state: state !== undefined, has_pkce: challenge !== null },
    address,
    now,
  })
  return issueCode(tx, { workspaceId, appId: app.id, memberId, redirectUri, scopes, challenge, resource, level }, now)
}

// Reads the form of the consent page and answers it. The consent token proves that the form comes from the consent page: only this
// session got the token, and it works once. See docs/reference/access-and-oauth.md (Consent).

/** Returns the answer for the app, or undefined when the page has expired. Throws 400, 401 and 403. */
export async function answerForm(
  { appContext, authenticator }: Pick<ConsoleContext, 'appContext' | 'authenticator'>,
  request: Request,
  address: string | null,
): Promise<{ readonly session: ConsoleSession; readonly answer: ConsentAnswer | undefined }> {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw untrustedOrigin()
  const session = await authenticator.sessionOf(request)
  if (session === undefined) throw sessionRequired()
  const form = await readParameters(request)
  const [consentToken, decision] = [form.get('consent_token') ?? '', form.get('decision')]
  if (decision !== 'allow' && decision !== 'deny') throw invalidRequest('The decision must be allow or deny.')
  const workspaceId = form.get('workspace_id') ?? ''
  const isAllowed = decision === 'allow'
  const errorOf = (error: unknown) => failureForApp(error, request)
  const given = { consentToken, workspaceId, isAllowed, address, errorOf }
  return { session, answer: await answerConsent(appContext, authenticator, session, given) }
}

function failureForApp(error: unknown, request: Request): AuthorizationError {
  const { status, message } = errorFromException(error, request, newRequestId())
  return { error: standardCode(status), description: message }
}
