/** A page of one sentence, for a person who cannot be helped by any other. It loads nothing and leads nowhere. */

import { PRIVATE_HEADERS } from './headers'

const POLICY =
  "default-src 'none'; style-src 'sha256-STYLE'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:18vh auto;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .5rem}
p{margin:0;opacity:.8}`

const CONTENT_SECURITY_POLICY = POLICY.replace('STYLE', new Bun.CryptoHasher('sha256').update(STYLE).digest('base64'))

export function noticePage(status: number, title: string, text: string): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${Bun.escapeHTML(title)}</h1>
<p>${Bun.escapeHTML(text)}</p>
</main>
</body>
</html>
`
  const headers = {
    ...PRIVATE_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  }
  return new Response(html, { status, headers })
}
