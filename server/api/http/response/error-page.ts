/**
 * Static pages with the console's style sheets that say what happened and what to do. Their only script chooses the theme. The links of an
 * error page lead to the console and, where the caller names one, to another address; a page for recipients of emails has a button at most.
 */

import type { ApiError } from '#base/errors/api-error'
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
  readonly title: string
  /** What happened. */
  readonly text: string
  /** What the person can do now. */
  readonly advice: string
  /** A link that the person may follow. */
  readonly link?: { readonly text: string; readonly href: string }
}

export const errorPage = ({ status, title, text, advice, link }: ErrorPage): Promise<Response> =>
  renderPage(status, { title, texts: [text, advice], formAction: "'none'" }, [
    ...(link === undefined ? [] : [`<a href="${Bun.escapeHTML(link.href)}">${Bun.escapeHTML(link.text)}</a>`]),
    '<a href="/objects">Go to the console</a>',
  ])

/** A page for a person who may not know the console. The button sends the form to the same address. */
export interface RecipientPage {
  readonly status: number
  readonly title: string
  readonly text: string
  readonly button?: string
}

export const recipientPage = ({ status, title, text, button }: RecipientPage): Promise<Response> =>
  renderPage(
    status,
    { title, texts: [text], formAction: "'self'" },
    button === undefined ? [] : [`<form method="post"><button>${Bun.escapeHTML(button)}</button></form>`],
  )

interface PageParts {
  readonly title: string
  readonly texts: readonly string[]
  readonly formAction: "'none'" | "'self'"
}

/** `controls` are HTML. */
async function renderPage(
  status: number,
  { title, texts, formAction }: PageParts,
  controls: readonly string[],
): Promise<Response> {
  const html = `<!doctype html>
<html lang="en">
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
export const authorizationErrorPage = ({ status, message }: ApiError): Promise<Response> =>
  errorPage({ status, title: 'The request failed', text: message, advice: 'Go back to the app and connect it again.' })

/** The link elements of the console's style sheets, whose names change with each build. Empty when it is not built. */
async function consoleStyles(): Promise<string> {
  const page = await findFile('/index.html')
  const links = new TextDecoder().decode(page?.bytes).match(/<link rel="stylesheet"[^>]*>/g)
  return (links ?? []).join('\n')
}
