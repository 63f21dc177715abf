/** The reference for people at /docs, and the document it shows at /openapi.json. Everything comes from this host. */

import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import { JsonText, newRequestId, type Answers } from './answer'
import { chooseEncoding, compress } from './compression'
import { documentation } from './openapi'

const HIDDEN = { detail: { hide: true } }

/** No inline script and no other host; the one inline thing allowed are the icons in Swagger UI's style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Relata API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null })\n`

export const docsRoutes = (answers: Answers, appUrl: string) =>
  new Elysia({ name: 'docs' }).use(openApiDocument(answers, appUrl)).use(referencePage(answers))

/** The plugin also registers a page at its path, made of another host's scripts; our own, registered later, replaces it. */
const openApiDocument = (answers: Answers, appUrl: string) =>
  new Elysia({ name: 'openapi' })
    .onAfterHandle(async ({ request, responseValue }) =>
      answers.json(request, newRequestId(), new JsonText(JSON.stringify(responseValue))),
    )
    .use(
      swagger({
        path: '/docs',
        specPath: '/openapi.json',
        // The plugin's types know OpenAPI 3.0 only; it hands on what it is given.
        documentation: documentation(appUrl) as never,
      }),
    )

function referencePage(answers: Answers) {
  const send = async (request: Request, type: string, text: string) => {
    const headers = {
      ...answers.headers(newRequestId()),
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-cache',
    }
    const encoding = chooseEncoding(request.headers.get('accept-encoding'))
    const compressed = encoding && (await compress(text, encoding))
    if (compressed === undefined) return new Response(text, { headers })
    return new Response(compressed.bytes, { headers: { ...headers, 'Content-Encoding': compressed.encoding } })
  }
  return new Elysia({ name: 'reference' })
    .get('/docs', ({ request }) => send(request, 'text/html', PAGE), HIDDEN)
    .get('/docs/start.js', ({ request }) => send(request, 'text/javascript', START), HIDDEN)
    .get(
      '/docs/swagger-ui-bundle.js',
      async ({ request }) => send(request, 'text/javascript', await asset('swagger-ui-bundle.js')),
      HIDDEN,
    )
    .get(
      '/docs/swagger-ui.css',
      async ({ request }) => send(request, 'text/css', await asset('swagger-ui.css')),
      HIDDEN,
    )
}

const asset = (name: string): Promise<string> =>
  Bun.file(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir)).text()
