/**
 * Shows an authorization request to the browser that brings it, and to the consent page.
 * See docs/reference/access-and-oauth.md (Authorization request, Consent).
 */

import { listWorkspacesOf } from '#access/members/memberships'
import { mayAuthorize } from '#access/tokens/tokens'
import type { AppContext } from '#context'
import { invalidRequest } from '#base/errors/http'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import { urlOf } from '#api/http/request/request-url'
import {
  type AuthorizationRequest,
  errorRedirect,
  LINK_PROBLEMS,
  mayRedirectErrors,
  readAuthorizationRequest,
  type Refusal,
} from '#access/oauth/authorize/authorization-request'
import type { ConsoleContext } from '#api/console/console-context'
import { consentPage, redirect, refusalPage, wrongLinkPage } from './pages'
import { createConsent } from '#access/oauth/authorize/consents'
import { grantedScopes } from '#access/oauth/tokens/grants'
import { canBeInstalledIn } from '#access/oauth/apps/apps'
import { hostOf, isLoopback } from '#access/oauth/apps/redirect-uri'
import { describeForConsent, sortScopes } from '#access/oauth/requested-scopes'
import { includesScope, type Scope } from '#vocabulary/scopes'
import type { Consent } from './schemas'

/** Answers with the consent page, with a page that says what is wrong, or with a redirect that sends an error to the app. */
export async function showConsentPage(
  { appContext, authenticator }: Pick<ConsoleContext, 'appContext' | 'authenticator'>,
  request: Request,
): Promise<Response> {
  const result = await read(appContext, request)
  if (result.kind === 'untrusted') return wrongLinkPage(request, result.problem)
  if (result.kind === 'refused') {
    const session = await authenticator.sessionOf(request)
    return refuse(appContext, { request, session }, result.refusal, 302)
  }
  return consentPage(request, result.request.redirectUri)
}

/** Sends an error to an app whose redirect URI is trusted, and shows it to the person otherwise. */
export async function refuse(
  { db, settings }: AppContext,
  { request, session }: { readonly request: Request; readonly session: ConsoleSession | undefined },
  refusal: Refusal,
  status: 302 | 303,
): Promise<Response> {
  const workspaces = session === undefined ? [] : await listWorkspacesOf(db, session)
  const ids = workspaces.map(({ id }) => id)
  const location = errorRedirect(refusal, settings.appUrl)
  return (await mayRedirectErrors(db.sql, refusal.app, ids))
    ? redirect(status, location)
    : refusalPage(request, refusal, location)
}

/** Returns the data of the consent page. Throws 400 for an invalid authorization request. */
export async function readConsentScreen(
  appContext: AppContext,
  session: ConsoleSession,
  request: Request,
): Promise<Consent> {
  const result = await read(appContext, request)
  if (result.kind === 'untrusted') throw invalidRequest(LINK_PROBLEMS[result.problem].en)
  if (result.kind === 'refused') throw invalidRequest('This cannot be granted; go back to the app and try again.')
  return createConsentScreen(appContext, session, result.request)
}

const read = ({ db, settings }: AppContext, request: Request) =>
  readAuthorizationRequest(db.sql, urlOf(request).searchParams, settings.appUrl)

async function createConsentScreen(
  { db, now }: AppContext,
  session: ConsoleSession,
  request: AuthorizationRequest,
): Promise<Consent> {
  const { app, redirectUri, scopes, level } = request
  const all = await listWorkspacesOf(db, session)
  const workspaces = all.filter(
    ({ id, access_level, member_permissions, missing_step }) =>
      mayAuthorize({ accessLevel: access_level, memberPermissions: member_permissions }, level) &&
      missing_step === null &&
      canBeInstalledIn(app, id),
  )
  const ids = workspaces.map(({ id }) => id)
  const granted = await grantedScopes(db.sql, app.id, {
    workspaceIds: ids,
    memberIds: workspaces.map(({ workspace_member_id }) => workspace_member_id),
    level,
  })
  const { name, developer_name, logo_url, website_url } = app
  return {
    consent_token: await createConsent(db.sql, session.id, request, now()),
    app: { name, developer_name, logo_url, website_url, is_registered_by_itself: app.workspace_id === null },
    token_level: level,
    redirect_uri: redirectUri,
    redirect_host: hostOf(redirectUri),
    is_loopback: isLoopback(redirectUri),
    workspaces: workspaces.map(({ id, name, slug, logo_url }) => ({ id, name, slug, logo_url })),
    workspace_id: ids.find((id) => id === request.workspaceId) ?? ids[0] ?? null,
    scopes: sortScopes(scopes).map((scope) => ({
      ...describeForConsent(scope),
      is_new_in: ids.filter((id) => !includesScope(granted.get(id) ?? NO_SCOPES, scope)),
    })),
  }
}

const NO_SCOPES: ReadonlySet<Scope> = new Set()
