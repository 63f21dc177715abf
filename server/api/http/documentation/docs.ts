/** Serves the list of operations at /docs, the OpenAPI document at /openapi.json, and the reference pages. */

import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import { JsonText, newRequestId, type Answers } from '#api/http/response/answer'
import { createDocumentSender } from './docs-answer'
import { addExamples, type Paths } from './examples'
import { documentation } from './openapi'
import { referenceRoutes } from './reference-pages'

const HIDDEN = { detail: { hide: true } }

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
    <div id="operations"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#operations', deepLinking: true, validatorUrl: null })\n`

export const docsRoutes = (answers: Answers, appUrl: string) =>
  new Elysia({ name: 'docs' })
    .use(openApiDocument(answers, appUrl))
    .use(operationsPage(answers))
    .use(referenceRoutes(answers))

/** The plugin also registers a page with scripts of another host. The page at /docs, registered later, replaces it. */
const openApiDocument = (answers: Answers, appUrl: string) => {
  const withExamples = createExampleWriter()
  return new Elysia({ name: 'openapi' })
    .onAfterHandle(
      async ({ request, responseValue }) =>
        answers.json(request, newRequestId(), new JsonText(await withExamples(responseValue as { paths: Paths }))), // the plugin's document
    )
    .use(
      swagger({
        path: '/docs',
        specPath: '/openapi.json',
        // The path of an operation may contain a dot. Routes of files are hidden by their description.
        excludeStaticFile: false,
        // The plugin's types describe OpenAPI 3.0 only; the plugin copies the object unchanged.
        documentation: documentation(appUrl) as never,
      }),
    )
}

/** The document is the same for every request. */
function createExampleWriter() {
  let text: Promise<string> | undefined
  const write = async (document: { paths: Paths }) => {
    const copy = structuredClone(document)
    await addExamples(copy.paths)
    return JSON.stringify(copy)
  }
  return (document: { paths: Paths }): Promise<string> => (text ??= write(document))
}

function operationsPage(answers: Answers) {
  const send = createDocumentSender(answers)
  return new Elysia({ name: 'operations page' })
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
