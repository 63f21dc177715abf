/**
 * The authorization endpoint, to which an app sends a browser and at which the person decides. Its answers to the browser
 * are pages, never JSON. No page of another origin can read or frame them.
 * See docs/reference/access-and-oauth.md (Authorization request, Consent).
 */

import { Elysia } from 'elysia'
import { untrustedOrigin, sessionRequired } from '../../errors/access'
import { invalidRequest } from '../../errors/http'
import { newRequestId } from '../../http/response/answer'
import { clientAddress, type Listener } from '../../http/request/client-address'
import { errorFromException } from '../../http/response/error-from-exception'
import { type ErrorPage, errorPage } from '../../http/response/error-page'
import { PRIVATE_HEADERS } from '../../http/response/headers'
import { readParameters } from '../../http/request/read-parameters'
import { urlOf } from '../../http/request/request-url'
import { standardCode } from '../../http/guard/oauth-endpoint'
import { pagePolicy, servePage } from '../../http/console-files/console-files'
import { readAuthorizationRequest, type AuthorizationError } from '../../oauth/authorize/authorization-request'
import { authorize } from '../../oauth/openapi'
import type { ConsoleContext } from '../console-context'
import { answerConsent } from './answer-consent'
import { createConsentScreen } from './consent-screen'

interface Context {
  readonly request: Request
  readonly server: Listener | null
}

const FORM_HOOK = { parse: 'none', detail: { hide: true } } as const

/** The app's page may have opened this window and wait for it, so the window keeps its opener. */
const CONSENT_HEADERS = { ...PRIVATE_HEADERS, 'Cross-Origin-Opener-Policy': 'unsafe-none' }

export function authorizeRoutes(consoleContext: ConsoleContext) {
  const { appContext, guard } = consoleContext
  const { db, settings } = appContext
  const read = (request: Request) => readAuthorizationRequest(db.sql, urlOf(request).searchParams, settings.appUrl)

  return new Elysia({ name: 'authorize' })
    .get(
      '/authorize',
      asPage(async ({ request }) => {
        const result = await read(request)
        if (result.kind === 'untrusted') return errorPage(wrongLink(result.problem))
        if (result.kind === 'refused') return redirect(302, result.location)
        const policy = pagePolicy(formTargets(result.request.redirectUri))
        return servePage(request, { headers: { ...CONSENT_HEADERS, 'Content-Security-Policy': policy } })
      }),
      { parse: 'none', detail: authorize },
    )
    .post(
      '/authorize',
      asPage(async ({ request, server }) => {
        const location = await answerForm(
          consoleContext,
          request,
          clientAddress(request, server, settings.trustedProxies),
        )
        return location === undefined ? errorPage(EXPIRED) : redirect(303, location)
      }),
      FORM_HOOK,
    )
    .get(
      '/console/api/authorize',
      ...guard.signedIn({}, async ({ request, session }) => {
        const result = await read(request)
        if (result.kind === 'untrusted') throw invalidRequest(result.problem)
        if (result.kind === 'refused') throw invalidRequest('This cannot be granted; go back to the app and try again.')
        return { data: await createConsentScreen(appContext, session, result.request) }
      }),
    )
}

/** The consent token proves that the form comes from the consent page: only this session got it, and it works once. */
async function answerForm(
  { appContext, authenticator }: ConsoleContext,
  request: Request,
  address: string | null,
): Promise<string | undefined> {
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
  return answerConsent(appContext, authenticator, session, { consentToken, workspaceId, isAllowed, address, errorOf })
}

function failureForApp(error: unknown, request: Request): AuthorizationError {
  const { status, message } = errorFromException(error, request, newRequestId())
  return { error: standardCode(status), description: message }
}

/** The page for a request whose app or redirect URI is not valid, so that a redirect would not be safe. */
const wrongLink = (problem: string): ErrorPage => ({
  status: 400,
  title: "This link doesn't work",
  text: problem,
  advice: 'Go back to the app and try again. If it happens again, send this message to the developer of the app.',
})

const EXPIRED: ErrorPage = {
  status: 400,
  title: 'This page has expired',
  text: 'It was already answered, or it was open for too long.',
  advice: 'Go back to the app and connect it again.',
}

/**
 * The form-action policy of the page. Browsers apply it to redirects after the form too, and apps redirect further, so it
 * names the schemes of the app and not its hosts.
 */
const formTargets = (redirectUri: string): string[] => [...new Set(['https:', new URL(redirectUri).protocol])]

const redirect = (status: 302 | 303, location: string) =>
  new Response(null, { status, headers: { ...PRIVATE_HEADERS, Location: location } })

/** Answers every error with a page. */
function asPage(run: (context: Context) => Promise<Response>) {
  // Named members only: Elysia reads from this source text what it must prepare for each request.
  return async ({ request, server }: Context): Promise<Response> => {
    try {
      return await run({ request, server })
    } catch (error) {
      const { status, message } = errorFromException(error, request, newRequestId())
      const advice = 'Go back to the app and connect it again.'
      return errorPage({ status, title: 'The request failed', text: message, advice })
    }
  }
}
