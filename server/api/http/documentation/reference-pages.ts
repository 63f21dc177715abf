/**
 * Serves the pages of docs/reference as HTML at /docs/reference, and the guides at /docs/guides. The process renders them at the
 * first request.
 */

import { pathOf } from '#api/http/request/request-url'
import { basename, dirname, join, relative } from 'node:path'
import { Elysia } from 'elysia'
import { PROGRAM_FOLDER } from '#db/program'
import { routeNotFound } from '#base/errors/http'
import { type Answers, newRequestId, chooseEncoding, compress } from '#api/http/response/answer'

const HIDDEN = { detail: { hide: true } }
const REFERENCE = 'docs/reference'
const INDEX = `${REFERENCE}/README.md`

/** The pages of docs/ for callers of the API and for people at the console. */
const GUIDES = ['webhooks', 'events', 'access', 'import', 'moving-in', 'export-format'].map((name) => `docs/${name}.md`)

let rendering: Promise<ReadonlyMap<string, string>> | undefined

export function referenceRoutes(answers: Answers) {
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

export const createDocumentSender =
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
