/** Serves the console: the files of `web/dist`, and its one page for every path of the console. */

import { Elysia } from 'elysia'
import { routeNotFound } from '#base/errors/http'
import { PROGRAM_FOLDER } from '#db/program'
import { requestLanguage } from '#api/http/request/request-language'
import { urlOf } from '#api/http/request/request-url'
import { join } from 'node:path'

const HIDDEN = { detail: { hide: true } }

/** The console's first page. */
const HOME = '/home'

/** The pages of a workspace, which the console shows below its slug or id. */
const PAGES = [
  '/home',
  '/objects',
  '/objects/*',
  '/activities/*',
  '/lists',
  '/lists/*',
  '/notes',
  '/notes/*',
  '/inbox',
  '/dashboards',
  '/dashboards/*',
  '/tasks',
  '/meetings/*',
  '/sql',
  '/webhooks',
  '/webhooks/*',
  '/settings',
  '/settings/*',
]

/** The console's paths. `/authorize` is a route of OAuth, which answers with the same page. */
const PATHS = [
  '/sign-in',
  '/sign-in/callback/*',
  '/reset-password/*',
  '/invitations/*',
  ...PAGES,
  ...PAGES.map((path) => `/:workspace${path}`),
  // The paths of `web_url` in records.
  '/:workspace/person/:record',
  '/:workspace/company/:record',
  '/:workspace/:object/record/:record',
]

/** The first parts of API paths: an unknown path below them is answered with JSON, also in a browser. */
const API_ROOTS = [
  'v2',
  'console',
  'oauth',
  'scim',
  'hooks',
  'files',
  'unsubscribe',
  'assets',
  '.well-known',
  'metrics',
  'healthz',
  'readyz',
  'openapi.json',
]

/** First parts of paths that are never the name of a workspace. */
const OTHERS = new Set([...API_ROOTS, 'docs'])

const firstPart = (path: string): string => path.split('/', 2)[1] ?? ''

/** Whether a browser requests a page outside of the API. */
export const wantsPage = ({ method, headers }: Request, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.get('accept')?.includes('text/html') === true &&
  !API_ROOTS.includes(firstPart(path))

const SECURITY = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=7776000; includeSubDomains; preload',
}

const NOT_BUILT = 'The console is not built; run "bun web/build.ts", or start the service with "bun start".\n'

/** The content security policy of the page: nothing inline, and from other hosts only images. Its forms may also go to `formTargets`. */
export const pagePolicy = (formTargets: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    // Recordings and the preview of PDF files, under signed URLs of this service.
    "media-src 'self'",
    "frame-src 'self'",
    ['form-action', "'self'", ...formTargets].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Answers with the console's page in the language of the request. The page shows what its URL names. `headers` override the headers of the page. */
export async function servePage(
  request: Request,
  { headers = {}, status = 200 }: { headers?: Readonly<Record<string, string>>; status?: number } = {},
): Promise<Response> {
  const language = requestLanguage(request) ?? 'en'
  const page = (await findFile(`/index.${language}.html`)) ?? (await findFile('/index.html'))
  const all = { ...SECURITY, 'Content-Security-Policy': pagePolicy(), 'Cache-Control': 'no-store', ...headers }
  if (page === undefined) {
    return new Response(NOT_BUILT, { status: 503, headers: { ...all, 'Content-Type': 'text/plain; charset=utf-8' } })
  }
  return send(request, page, { status, headers: all })
}

export function webRoutes() {
  const routes = new Elysia({ name: 'web' })
    .get('/', () => new Response(null, { status: 302, headers: { ...SECURITY, Location: HOME } }), HIDDEN)
    .get('/assets/*', ({ request }) => serveFile(request, 'public, max-age=31536000, immutable'), HIDDEN)
    .get('/theme.js', ({ request }) => serveFile(request, 'no-cache'), HIDDEN)
    .get('/notice.css', ({ request }) => serveFile(request, 'no-cache'), HIDDEN)
    .get('/icon.svg', ({ request }) => serveFile(request, 'no-cache'), HIDDEN)
  for (const path of PATHS) {
    routes.get(
      path,
      ({ request }) => {
        const { pathname } = urlOf(request)
        if (OTHERS.has(firstPart(pathname))) throw routeNotFound(request.method, pathname)
        return servePage(request)
      },
      HIDDEN,
    )
  }
  return routes
}

async function serveFile(request: Request, cacheControl: string): Promise<Response> {
  const { pathname } = urlOf(request)
  const file = await findFile(pathname)
  if (file === undefined) throw routeNotFound(request.method, pathname)
  const headers = { ...SECURITY, ETag: file.etag, 'Cache-Control': cacheControl }
  if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers })
  return send(request, file, { status: 200, headers })
}

function send(request: Request, file: WebFile, init: { status: number; headers: Record<string, string> }): Response {
  const accepted = request.headers.get('accept-encoding') ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name) && file[name] !== undefined)
  const headers: Record<string, string> = { ...init.headers, 'Content-Type': file.type, Vary: 'Accept-Encoding' }
  if (encoding !== undefined) headers['Content-Encoding'] = encoding
  return new Response((encoding && file[encoding]) ?? file.bytes, { status: init.status, headers })
}

/**
 * The files of the console's build, eight megabytes with all languages, all read into memory at the first request. So a process serves the files
 * of one build, even while another build replaces them, and a path can name only a file that the folder contained.
 */
type Bytes = Uint8Array<ArrayBuffer>

interface WebFile {
  readonly type: string
  readonly etag: string
  readonly bytes: Bytes
  /** The file compressed at the build; undefined where that made it no smaller. */
  readonly br: Bytes | undefined
  readonly gzip: Bytes | undefined
}

const DIST = join(PROGRAM_FOLDER, 'web/dist')

let reading: Promise<ReadonlyMap<string, WebFile>> | undefined

/** Returns the file at a path of a URL, or undefined. While there is no build, each request looks for one. */
export async function findFile(path: string): Promise<WebFile | undefined> {
  reading ??= readBuild()
  try {
    return (await reading).get(path)
  } catch (error) {
    reading = undefined
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function readBuild(): Promise<ReadonlyMap<string, WebFile>> {
  const names = [...new Bun.Glob('**/*').scanSync({ cwd: DIST })]
  const bytes = new Map(await Promise.all(names.map(async (name) => [name, await readBytes(name)] as const)))
  const files = [...bytes].map(([name, content]): [string, WebFile] => [
    `/${name.replaceAll('\\', '/')}`,
    {
      type: Bun.file(name).type,
      etag: `"${Bun.hash(content).toString(16)}"`,
      bytes: content,
      br: bytes.get(`${name}.br`),
      gzip: bytes.get(`${name}.gz`),
    },
  ])
  return new Map(files)
}

const readBytes = (name: string): Promise<Bytes> => Bun.file(join(DIST, name)).bytes()
