/**
 * Shows an authorization request to the browser that brings it, and to the consent page.
 * See docs/reference/access-and-oauth.md (Authorization request, Consent).
 */

import { listWorkspacesOf } from '#access/members/memberships'
import type { AppContext } from '#context'
import { invalidRequest } from '#base/errors/http'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import { urlOf } from '#api/http/request/request-url'
import {
  errorRedirect,
  mayRedirectErrors,
  readAuthorizationRequest,
  type Refusal,
} from '#access/oauth/authorize/authorization-request'
import type { ConsoleContext } from '#api/console/console-context'
import { type ConsentScreen, createConsentScreen } from './consent-screen'
import { consentPage, redirect, refusalPage, wrongLinkPage } from './pages'

/** Answers with the consent page, with a page that says what is wrong, or with a redirect that sends an error to the app. */
export async function showConsentPage(
  { appContext, authenticator }: Pick<ConsoleContext, 'appContext' | 'authenticator'>,
  request: Request,
): Promise<Response> {
  const result = await read(appContext, request)
  if (result.kind === 'untrusted') return wrongLinkPage(result.problem)
  if (result.kind === 'refused') return refuse(appContext, await authenticator.sessionOf(request), result.refusal, 302)
  return consentPage(request, result.request.redirectUri)
}

/** Sends an error to an app whose redirect URI is trusted, and shows it to the person otherwise. */
export async function refuse(
  { db, settings }: AppContext,
  session: ConsoleSession | undefined,
  refusal: Refusal,
  status: 302 | 303,
): Promise<Response> {
  const workspaces = session === undefined ? [] : await listWorkspacesOf(db, session)
  const ids = workspaces.map(({ id }) => id)
  const location = errorRedirect(refusal, settings.appUrl)
  return (await mayRedirectErrors(db.sql, refusal.app, ids))
    ? redirect(status, location)
    : refusalPage(refusal, location)
}

/** Returns the data of the consent page. Throws 400 for an invalid authorization request. */
export async function readConsentScreen(
  appContext: AppContext,
  session: ConsoleSession,
  request: Request,
): Promise<ConsentScreen> {
  const result = await read(appContext, request)
  if (result.kind === 'untrusted') throw invalidRequest(result.problem)
  if (result.kind === 'refused') throw invalidRequest('This cannot be granted; go back to the app and try again.')
  return createConsentScreen(appContext, session, result.request)
}

const read = ({ db, settings }: AppContext, request: Request) =>
  readAuthorizationRequest(db.sql, urlOf(request).searchParams, settings.appUrl)
