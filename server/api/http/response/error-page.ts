/**
 * Static pages with the console's style sheets that say what happened and what to do. Their only script chooses the theme. The links of an
 * error page lead to the console and, where the caller names one, to another address; a page for recipients of emails has a button at most.
 */

import type { ApiError } from '#base/errors/api-error'
import type { Language } from '#vocabulary/languages'
import { pageLanguage } from '#api/http/request/request-language'
import { PRIVATE_HEADERS } from './headers'
import { findFile } from '#api/http/console-files/console-files'

const contentSecurityPolicy = (formAction: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    `form-action ${formAction}`,
  ].join('; ')

export interface ErrorPage {
  readonly status: number
  readonly language: Language
  readonly title: string
  /** What happened. */
  readonly text: string
  /** What the person can do now. */
  readonly advice: string
  /** A link that the person may follow. */
  readonly link?: { readonly text: string; readonly href: string }
}

export const errorPage = ({ status, language, title, text, advice, link }: ErrorPage): Promise<Response> =>
  renderPage(status, { language, title, texts: [text, advice], formAction: "'none'" }, [
    ...(link === undefined ? [] : [`<a href="${Bun.escapeHTML(link.href)}">${Bun.escapeHTML(link.text)}</a>`]),
    `<a href="/objects">${TO_CONSOLE[language]}</a>`,
  ])

const TO_CONSOLE: Record<Language, string> = { en: 'Go to the console', de: 'Zur Konsole' }

/** A page for a person who may not know the console. The button sends the form to the same address. */
export interface RecipientPage {
  readonly status: number
  readonly language: Language
  readonly title: string
  readonly text: string
  readonly button?: string
}

export const recipientPage = ({ status, language, title, text, button }: RecipientPage): Promise<Response> =>
  renderPage(
    status,
    { language, title, texts: [text], formAction: "'self'" },
    button === undefined ? [] : [`<form method="post"><button>${Bun.escapeHTML(button)}</button></form>`],
  )

interface PageParts {
  readonly language: Language
  readonly title: string
  readonly texts: readonly string[]
  readonly formAction: "'none'" | "'self'"
}

/** `controls` are HTML. */
async function renderPage(
  status: number,
  { language, title, texts, formAction }: PageParts,
  controls: readonly string[],
): Promise<Response> {
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)} · Relata</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<script src="/theme.js"></script>
${await consoleStyles()}
<link rel="stylesheet" href="/notice.css">
</head>
<body>
<main class="notice">
<div class="notice-card">
<img src="/icon.svg" alt="Relata" width="32" height="32">
<h1>${Bun.escapeHTML(title)}</h1>
${texts.map((text) => `<p>${Bun.escapeHTML(text)}</p>`).join('\n')}
${controls.join('\n')}
</div>
</main>
</body>
</html>
`
  const headers = {
    ...PRIVATE_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(formAction),
  }
  return new Response(html, { status, headers })
}

/** The page for an error of the authorization endpoint, which a browser shows to a person. */
export function authorizationErrorPage({ status, message }: ApiError, request: Request): Promise<Response> {
  const language = pageLanguage(request)
  const texts: Record<Language, Pick<ErrorPage, 'title' | 'text' | 'advice'>> = {
    en: { title: 'The request failed', text: message, advice: 'Go back to the app and connect it again.' },
    de: {
      title: 'Die Anfrage ist fehlgeschlagen',
      text: GERMAN_REASONS[status] ?? `Der Dienst meldet: „${message}“`,
      advice: 'Kehren Sie zur App zurück und verbinden Sie sie erneut.',
    },
  }
  return errorPage({ status, language, ...texts[language] })
}

/** By status. The messages of errors are English. */
const GERMAN_REASONS: Readonly<Record<number, string>> = {
  401: 'Sie sind nicht mehr angemeldet.',
  403: 'Die Anfrage kam nicht von einer Seite dieses Dienstes.',
  500: 'Im Dienst ist ein Fehler aufgetreten.',
  503: 'Der Dienst ist zurzeit nicht erreichbar.',
}

/** The link elements of the console's style sheets, whose names change with each build. Empty when it is not built. */
async function consoleStyles(): Promise<string> {
  const page = await findFile('/index.html')
  const links = new TextDecoder().decode(page?.bytes).match(/<link rel="stylesheet"[^>]*>/g)
  return (links ?? []).join('\n')
}
