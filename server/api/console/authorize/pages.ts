/** The responses of the authorization endpoint to a browser: the consent page, pages of errors, and redirects. */

import { pagePolicy, servePage } from '#api/http/console-files/console-files'
import { newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { authorizationErrorPage, type ErrorPage, errorPage } from '#api/http/response/error-page'
import { PRIVATE_HEADERS } from '#api/http/response/headers'
import { hostOf } from '#access/oauth/apps/redirect-uri'
import { LINK_PROBLEMS, type LinkProblem, type Refusal } from '#access/oauth/authorize/authorization-request'
import { pageLanguage } from '#api/http/request/request-language'
import type { Language } from '#vocabulary/languages'

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
export function wrongLinkPage(request: Request, problem: LinkProblem): Promise<Response> {
  const language = pageLanguage(request)
  const texts: Record<Language, Pick<ErrorPage, 'title' | 'advice'>> = {
    en: {
      title: "This link doesn't work",
      advice: 'Go back to the app and try again. If it happens again, send this message to the developer of the app.',
    },
    de: {
      title: 'Dieser Link funktioniert nicht',
      advice:
        'Kehren Sie zur App zurück und versuchen Sie es erneut. Wenn es wieder geschieht, senden Sie diese Meldung an die Entwickler der App.',
    },
  }
  return errorPage({ status: 400, language, text: LINK_PROBLEMS[problem][language], ...texts[language] })
}

/**
 * The page in place of a redirect with an error, for a client that registered itself and has no access yet. The redirect URI may
 * belong to an attacker, so the browser goes there only when the person follows the link. RFC 9700, 4.11.2.
 */
export function refusalPage(request: Request, refusal: Refusal, location: string): Promise<Response> {
  const { app, redirectUri, error } = refusal
  const language = pageLanguage(request)
  const { claim, link, advice, declined, refused } = REFUSAL_TEXTS[language]
  const common = { language, advice, link: { text: `${link} ${hostOf(redirectUri)}`, href: location } }
  if (error.error === 'access_denied' && error.isByPerson === true)
    return errorPage({ status: 200, title: declined.title, text: `${claim(app.name)} ${declined.text}`, ...common })
  const text = `${claim(app.name)} ${refused.text(error.description)}`
  return errorPage({ status: 400, title: refused.title, text, ...common })
}

interface RefusalTexts {
  readonly claim: (name: string) => string
  readonly link: string
  readonly advice: string
  readonly declined: { readonly title: string; readonly text: string }
  /** The description is the one that the app gets, in English. */
  readonly refused: { readonly title: string; readonly text: (description: string) => string }
}

const REFUSAL_TEXTS: Record<Language, RefusalTexts> = {
  en: {
    claim: (name) =>
      `An app that calls itself “${name}” asked for access. It registered itself, so nobody checked its name.`,
    link: 'Go to',
    advice: 'If you started this in the app, go back to it. If not, close this page and do not follow the link.',
    declined: { title: 'You declined', text: 'It got no access.' },
    refused: {
      title: "This app can't be connected",
      text: (description) => `Its request cannot be answered: ${description}.`,
    },
  },
  de: {
    claim: (name) =>
      `Eine App, die sich „${name}“ nennt, hat Zugriff angefordert. Sie hat sich selbst registriert, daher hat niemand ihren Namen geprüft.`,
    link: 'Weiter zu',
    advice:
      'Wenn Sie dies in der App begonnen haben, kehren Sie zu ihr zurück. Wenn nicht, schließen Sie diese Seite und folgen Sie dem Link nicht.',
    declined: { title: 'Sie haben abgelehnt', text: 'Sie hat keinen Zugriff erhalten.' },
    refused: {
      title: 'Diese App kann nicht verbunden werden',
      text: (description) =>
        `Ihre Anfrage kann nicht beantwortet werden. Meldung für ihre Entwickler: „${description}“.`,
    },
  },
}

export function expiredPage(request: Request): Promise<Response> {
  const language = pageLanguage(request)
  return errorPage({ status: 400, language, ...EXPIRED[language] })
}

const EXPIRED: Record<Language, Pick<ErrorPage, 'title' | 'text' | 'advice'>> = {
  en: {
    title: 'This page has expired',
    text: 'It was already answered, or it was open for too long.',
    advice: 'Go back to the app and connect it again.',
  },
  de: {
    title: 'Diese Seite ist abgelaufen',
    text: 'Sie wurde bereits beantwortet oder war zu lange geöffnet.',
    advice: 'Kehren Sie zur App zurück und verbinden Sie sie erneut.',
  },
}

/** The page for an exception. */
export const failurePage = (error: unknown, request: Request): Promise<Response> =>
  authorizationErrorPage(errorFromException(error, request, newRequestId()), request)

export const redirect = (status: 302 | 303, location: string): Response =>
  new Response(null, { status, headers: { ...PRIVATE_HEADERS, Location: location } })
