/** Serves the pages of docs/reference as HTML at /docs/reference. The process renders them at the first request. */

import { pathOf } from '../request/request-url'
import { basename, join } from 'node:path'
import { Elysia } from 'elysia'
import { routeNotFound } from '../../errors/http'
import type { Answers } from '../response/answer'
import { createDocumentSender } from './docs-answer'

const HIDDEN = { detail: { hide: true } }
const FOLDER = join(import.meta.dir, '../../../docs/reference')
const ROOT = '/docs/reference'
const INDEX = 'README'

let rendering: Promise<ReadonlyMap<string, string>> | undefined

export function referenceRoutes(answers: Answers) {
  const send = createDocumentSender(answers)
  const sendPage = async (request: Request, name: string) => {
    const page = (await (rendering ??= renderPages())).get(name)
    if (page === undefined) throw routeNotFound(request.method, pathOf(request))
    return send(request, 'text/html', page)
  }
  const style = Bun.file(join(import.meta.dir, 'reference.css'))
  return new Elysia({ name: 'reference pages' })
    .get(ROOT, ({ request }) => sendPage(request, INDEX), HIDDEN)
    .get('/docs/reference.css', async ({ request }) => send(request, 'text/css', await style.text()), HIDDEN)
    .get(`${ROOT}/:page`, ({ request, params }) => sendPage(request, params.page), HIDDEN)
}

interface Page {
  readonly name: string
  readonly title: string
  readonly markdown: string
}

/** The HTML of every page by its name, without `.md`. */
async function renderPages(): Promise<ReadonlyMap<string, string>> {
  const files = [...new Bun.Glob('*.md').scanSync({ cwd: FOLDER })].sort()
  const pages = await Promise.all(files.map(readPage))
  return new Map(pages.map((page) => [page.name, renderPage(page, pages)]))
}

async function readPage(file: string): Promise<Page> {
  const name = basename(file, '.md')
  const markdown = await Bun.file(join(FOLDER, file)).text()
  return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown }
}

const renderPage = ({ name, title, markdown }: Page, pages: readonly Page[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Relata</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    <nav aria-label="Documentation">
      <a href="/docs">API</a>
      ${pages.map((page) => linkTo(page, page.name === name)).join('\n      ')}
    </nav>
    <main>
${withPaths(Bun.markdown.html(markdown, { headings: { ids: true } }))}
    </main>
  </body>
</html>
`

const linkTo = ({ name, title }: Page, isCurrent: boolean): string =>
  `<a href="${pagePath(name)}"${isCurrent ? ' aria-current="page"' : ''}>${title}</a>`

const pagePath = (name: string): string => (name === INDEX ? ROOT : `${ROOT}/${name}`)

/** Changes the links between pages from file names, which work in a repository viewer, to paths. */
const withPaths = (html: string): string =>
  html.replaceAll(
    /href="([\w-]+)\.md(#[^"]*)?"/g,
    (_, name: string, anchor = '') => `href="${pagePath(name)}${anchor}"`,
  )
