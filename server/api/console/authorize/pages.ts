/** The responses of the authorization endpoint to a browser: the consent page, pages of errors, and redirects. */

import { pagePolicy, servePage } from '#api/http/console-files/console-files'
import { newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { authorizationErrorPage, type ErrorPage, errorPage } from '#api/http/response/error-page'
import { PRIVATE_HEADERS } from '#api/http/response/headers'
import { hostOf } from '#access/oauth/apps/redirect-uri'
import type { Refusal } from '#access/oauth/authorize/authorization-request'

/** The app's page may have opened this window and wait for it, so the window keeps its opener. */
const CONSENT_HEADERS = { ...PRIVATE_HEADERS, 'Cross-Origin-Opener-Policy': 'unsafe-none' }

/** Answers with the consent page. Its forms may lead to the app's redirect URI. */
export function consentPage(request: Request, redirectUri: string): Promise<Response> {
  const policy = pagePolicy(formTargets(redirectUri))
  return servePage(request, { headers: { ...CONSENT_HEADERS, 'Content-Security-Policy': policy } })
}

/**
 * The form-action policy of the page. Browsers apply it to redirects after the form too, and apps redirect further, so it
 * names the schemes of the app and not its hosts.
 */
const formTargets = (redirectUri: string): string[] => [...new Set(['https:', new URL(redirectUri).protocol])]

/** The page for a request whose app or redirect URI is not valid, so that a redirect would not be safe. */
export const wrongLinkPage = (problem: string): Promise<Response> =>
  errorPage({
    status: 400,
    title: "This link doesn't work",
    text: problem,
    advice: 'Go back to the app and try again. If it happens again, send this message to the developer of the app.',
  })

/**
 * The page in place of a redirect with an error, for a client that registered itself and has no access yet. The redirect URI may
 * belong to an attacker, so the browser goes there only when the person follows the link. RFC 9700, 4.11.2.
 */
export function refusalPage({ app, redirectUri, error }: Refusal, location: string): Promise<Response> {
  const host = hostOf(redirectUri)
  const claim = `An app that calls itself “${app.name}” asked for access. It registered itself, so nobody checked its name.`
  const link = { text: `Go to ${host}`, href: location }
  const advice = 'If you started this in the app, go back to it. If not, close this page and do not follow the link.'
  if (error.error === 'access_denied' && error.isByPerson === true)
    return errorPage({ status: 200, title: 'You declined', text: `${claim} It got no access.`, advice, link })
  const text = `${claim} Its request cannot be answered: ${error.description}.`
  return errorPage({ status: 400, title: "This app can't be connected", text, advice, link })
}

const EXPIRED: ErrorPage = {
  status: 400,
  title: 'This page has expired',
  text: 'It was already answered, or it was open for too long.',
  advice: 'Go back to the app and connect it again.',
}

export const expiredPage = (): Promise<Response> => errorPage(EXPIRED)

/** The page for an exception. */
export const failurePage = (error: unknown, request: Request): Promise<Response> =>
  authorizationErrorPage(errorFromException(error, request, newRequestId()))

export const redirect = (status: 302 | 303, location: string): Response =>
  new Response(null, { status, headers: { ...PRIVATE_HEADERS, Location: location } })
