/**
 * The authorization endpoint, to which an app sends a browser and at which the person decides. Its answers to the browser
 * are pages, never JSON. No page of another origin can read or frame them.
 * See docs/reference/access-and-oauth.md (Authorization request, Consent).
 */

import { Elysia } from 'elysia'
import { clientAddress, type Listener } from '#api/http/request/request-url'
import { authorize } from '#access/oauth/openapi'
import type { ConsoleContext } from '#api/console/console-context'
import { answerForm } from './answer-consent'
import { expiredPage, failurePage, redirect } from './pages'
import { readConsentScreen, refuse, showConsentPage } from './show-consent'
import { ConsentAnswerOutput } from './schemas'

interface Context {
  readonly request: Request
  readonly server: Listener | null
}

const FORM_HOOK = { parse: 'none', detail: { hide: true } } as const

export function authorizeRoutes(consoleContext: ConsoleContext) {
  const { appContext, guard } = consoleContext
  const { trustedProxies } = appContext.settings

  return new Elysia({ name: 'authorize' })
    .get(
      '/authorize',
      asPage(({ request }) => showConsentPage(consoleContext, request)),
      {
        parse: 'none',
        detail: authorize,
      },
    )
    .post(
      '/authorize',
      asPage(async ({ request, server }) => {
        const { session, answer } = await answerForm(
          consoleContext,
          request,
          clientAddress(request, server, trustedProxies),
        )
        if (answer === undefined) return expiredPage(request)
        return 'refusal' in answer
          ? refuse(appContext, { request, session }, answer.refusal, 303)
          : redirect(303, answer.location)
      }),
      FORM_HOOK,
    )
    .get(
      ...guard.signedIn('/console/api/authorize', { response: ConsentAnswerOutput }, async ({ request, session }) => ({
        data: await readConsentScreen(appContext, session, request),
      })),
    )
}

/** Answers every error with a page. */
function asPage(run: (context: Context) => Promise<Response>) {
  // Named members only: Elysia reads from this source text what it must prepare for each request.
  return async ({ request, server }: Context): Promise<Response> => {
    try {
      return await run({ request, server })
    } catch (error) {
      return failurePage(error, request)
    }
  }
}
