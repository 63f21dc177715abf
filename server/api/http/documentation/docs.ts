/** Serves the list of operations at /docs, the OpenAPI document at /openapi.json, and the reference pages. */

import { swagger } from '@elysiajs/swagger'
import { Elysia } from 'elysia'
import { type Answers, JsonText, newRequestId, chooseEncoding, compress } from '#api/http/response/answer'
import { PROGRAM_FOLDER } from '#db/program'
import { documentation } from './openapi'
import { join, basename, dirname, relative } from 'node:path'
import { pathOf } from '#api/http/request/request-url'
import { routeNotFound } from '#base/errors/http'

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
  Bun.file(join(PROGRAM_FOLDER, 'node_modules/swagger-ui-dist', name)).text()

/**
 * Adds the examples of the reference pages to the OpenAPI document. Tests run these examples against a service.
 * See docs/reference/README.md (Examples).
 */
const FOLDER = join(PROGRAM_FOLDER, 'docs/reference')

const PLACEHOLDER = /<(?:(id|time|text|number)(?:: )?)?([^<>]*)>/g
/** Members and elements that a page leaves out. */
const LEFT_OUT = '…'

const EXAMPLE_OF = {
  id: '018f3c2e-7b1a-7c3d-9e4f-5a6b7c8d9e0f',
  time: '2026-01-02T03:04:05.000000000Z',
  text: 'Text',
  number: 1,
} as const

/** Stands for texts of members that are URLs. */
const EXAMPLE_URL = 'https://crm.example.com/page'

type Kind = keyof typeof EXAMPLE_OF

interface MediaType {
  example?: unknown
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>
}

interface Paths {
  readonly [path: string]: Readonly<Record<string, Operation>>
}

/** Changes `paths`: each operation gets the first complete example of a body that is accepted, and of a response. */
async function addExamples(paths: Paths): Promise<void> {
  for (const file of [...new Bun.Glob('*.md').scanSync({ cwd: FOLDER })].sort()) {
    const page = await Bun.file(join(FOLDER, file)).text()
    const kinds = kindsOf(page)
    for (const { method, path, request, status, response } of readPairs(page)) {
      const operation = findOperation(paths, method, path)
      const isComplete = status < '400' && !hasText(request, kinds) && !response.includes('Relata-Ignored')
      if (isComplete) addExample(operation?.requestBody?.content, bodyOf(request, kinds))
      addExample(operation?.responses[status]?.content, bodyOf(response, kinds))
    }
  }
}

/** The examples of a page: a block with a request, and one with its response. */
function readPairs(page: string) {
  // Texts outside and inside of fences alternate.
  const inside = page.split(/^```/m).filter((_, at) => at % 2 === 1)
  const blocks = inside.filter((block) => block.startsWith('http')).map((block) => block.slice(block.indexOf('\n') + 1))
  return blocks.flatMap((request, at) => {
    const response = blocks[at + 1] ?? ''
    if (!response.startsWith('HTTP/')) return []
    const [method = '', path = ''] = (request.split('\n', 1)[0] ?? '').split(' ')
    return [{ method, path, request, status: response.split(' ', 2)[1] ?? '', response }]
  })
}

/** Which kind of value each name of the page stands for. */
const kindsOf = (page: string): ReadonlyMap<string, Kind> =>
  new Map(
    [...page.matchAll(/<(id|time|text|number): ([^<>]+)>/g)].map(([, kind, name]) => [name ?? '', kind as Kind]), // the pattern has the kinds alone
  )

/** Whether a request has a text of an earlier response, such as a URL, for which no other text can stand. */
const hasText = (request: string, kinds: ReadonlyMap<string, Kind>): boolean =>
  [...request.matchAll(PLACEHOLDER)].some(([, , name = '']) => kinds.get(name) === 'text')

function findOperation(paths: Paths, method: string, path: string): Operation | undefined {
  const segments = (path.split('?')[0] ?? '').split('/')
  const templates = Object.keys(paths).filter((template) => {
    const parts = template.split('/')
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at])
  })
  const [closest] = templates.toSorted((a, b) => a.split('{').length - b.split('{').length)
  return closest === undefined ? undefined : paths[closest]?.[method.toLowerCase()]
}

/** The body after headers and an empty line. Undefined without one, and for one of which the page leaves out members. */
function bodyOf(block: string, kinds: ReadonlyMap<string, Kind>): unknown {
  const start = block.search(/^\{/m)
  const text = start === -1 ? '' : block.slice(start)
  return text === '' || text.includes(LEFT_OUT) ? undefined : withValues(JSON.parse(text), kinds)
}

/** Replaces placeholders by values. */
function withValues(value: unknown, kinds: ReadonlyMap<string, Kind>, member = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => withValues(each, kinds, member))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withValues(each, kinds, key)]))
  if (typeof value !== 'string') return value
  const valueOf = (given: string | undefined, name: string) => {
    const kind = (given as Kind) ?? kinds.get(name) ?? 'id' // as in the pattern
    return kind === 'text' && member.endsWith('url') ? EXAMPLE_URL : EXAMPLE_OF[kind]
  }
  const [whole, kind, name = ''] = [...value.matchAll(PLACEHOLDER)][0] ?? []
  if (whole === value) return valueOf(kind, name)
  return value.replaceAll(PLACEHOLDER, (_, kind: string | undefined, name: string) => String(valueOf(kind, name)))
}

function addExample(content: Readonly<Record<string, MediaType>> | undefined, body: unknown): void {
  const media = content?.['application/json']
  if (media !== undefined && body !== undefined) media.example ??= body
}

// Serves the pages of docs/reference as HTML at /docs/reference, and the guides at /docs/guides. The process renders them at the
// first request.

const REFERENCE = 'docs/reference'
const INDEX = `${REFERENCE}/README.md`

/** The pages of docs/ for callers of the API and for people at the console. */
const GUIDES = ['webhooks', 'events', 'access', 'import', 'moving-in', 'export-format'].map((name) => `docs/${name}.md`)

let rendering: Promise<ReadonlyMap<string, string>> | undefined

function referenceRoutes(answers: Answers) {
  const send = createDocumentSender(answers)
  const sendPage = async ({ request }: { readonly request: Request }) => {
    const page = (await (rendering ??= renderPages())).get(pathOf(request))
    if (page === undefined) throw routeNotFound(request.method, pathOf(request))
    return send(request, 'text/html', page)
  }
  const style = Bun.file(join(PROGRAM_FOLDER, 'server/api/http/documentation/reference.css'))
  return new Elysia({ name: 'reference pages' })
    .get('/docs/reference', sendPage, HIDDEN)
    .get('/docs/reference.css', async ({ request }) => send(request, 'text/css', await style.text()), HIDDEN)
    .get('/docs/reference/:page', sendPage, HIDDEN)
    .get('/docs/guides/:page', sendPage, HIDDEN)
}

interface Page {
  /** From the root of the repository. */
  readonly file: string
  readonly path: string
  readonly title: string
  readonly markdown: string
}

/** The HTML of every page by its path. */
async function renderPages(): Promise<ReadonlyMap<string, string>> {
  const files = [...new Bun.Glob('*.md').scanSync({ cwd: join(PROGRAM_FOLDER, REFERENCE) })].sort()
  const pages = await Promise.all([...files.map((name) => `${REFERENCE}/${name}`), ...GUIDES].map(readPage))
  return new Map(pages.map((page) => [page.path, renderPage(page, pages)]))
}

async function readPage(file: string): Promise<Page> {
  const markdown = await Bun.file(join(PROGRAM_FOLDER, file)).text()
  return { file, path: pathOfFile(file), title: /^# (.+)$/m.exec(markdown)?.[1] ?? file, markdown }
}

function pathOfFile(file: string): string {
  if (file === INDEX) return '/docs/reference'
  const folder = dirname(file) === REFERENCE ? '/docs/reference' : '/docs/guides'
  return `${folder}/${basename(file, '.md')}`
}

const renderPage = (page: Page, pages: readonly Page[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${page.title} · Relata</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    <nav aria-label="Documentation">
      <a href="/docs">API</a>
      ${pages.map((each) => linkTo(each, each === page)).join('\n      ')}
    </nav>
    <main>
${withPaths(page, pages)}
    </main>
  </body>
</html>
`

const linkTo = ({ path, title }: Page, isCurrent: boolean): string =>
  `<a href="${path}"${isCurrent ? ' aria-current="page"' : ''}>${title}</a>`

/** Changes the links between files, which work in a repository viewer, to paths. Links to files that are not served become text. */
function withPaths({ file, markdown }: Page, pages: readonly Page[]): string {
  const rewriter = new HTMLRewriter().on('a', {
    element(link) {
      const href = link.getAttribute('href') ?? ''
      if (!/^[\w.]/.test(href) || href.includes('://')) return
      const [target = '', anchor] = href.split('#')
      const linked = relative(PROGRAM_FOLDER, join(PROGRAM_FOLDER, dirname(file), target))
      const page = pages.find((each) => each.file === linked)
      if (page) link.setAttribute('href', anchor === undefined ? page.path : `${page.path}#${anchor}`)
      else link.removeAndKeepContent()
    },
  })
  return rewriter.transform(Bun.markdown.html(markdown, { headings: { ids: true } }))
}

// Responses of the pages below /docs: compressed, and loading nothing from other hosts.

/** No inline script and no other host. The data URLs are the icons in Swagger UI's style sheet. */
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

/** Makes a response of a text. `type` is its content type, such as `text/html`. */
type SendDocument = (request: Request, type: string, text: string) => Promise<Response>

const createDocumentSender =
  (answers: Answers): SendDocument =>
  async (request, type, text) => {
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
