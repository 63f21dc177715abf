/** The console in a browser: the files of `web/dist`, and its one page for every path that the console knows. */

import { Elysia } from 'elysia'
import { routeNotFound } from '../../errors/http'
import { urlOf } from '../request/request-url'
import { findFile, type WebFile } from './find-file'

const HIDDEN = { detail: { hide: true } }

/** Where the console begins. */
const HOME = '/objects'

/** The console's paths; `/authorize` is OAuth's, which answers with the same page. */
const PATHS = [
  '/sign-in',
  '/reset-password/*',
  '/invitations/*',
  '/objects',
  '/objects/*',
  '/lists',
  '/lists/*',
  '/inbox',
  '/tasks',
  '/webhooks',
  '/webhooks/*',
  '/settings',
  '/settings/*',
  // What `web_url` of a record says.
  '/:workspace/person/:record',
  '/:workspace/company/:record',
  '/:workspace/:object/record/:record',
]

/** The first parts of API paths: an unknown path below them is answered with JSON, also in a browser. */
const API_ROOTS = [
  'v2',
  'console',
  'oauth',
  'hooks',
  'assets',
  '.well-known',
  'metrics',
  'healthz',
  'readyz',
  'openapi.json',
]

/** Never the name of a workspace in a path. */
const OTHERS = new Set([...API_ROOTS, 'docs'])

const firstPart = (path: string): string => path.split('/', 2)[1] ?? ''

/** Whether a browser asks for a page outside of the API. */
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

/** What the page may load and do: nothing inline, nothing from other hosts but pictures. `formTargets` are where its forms lead besides. */
export const pagePolicy = (formTargets: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    ['form-action', "'self'", ...formTargets].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** The console's page, which finds out by its address what to show. `headers` go over those it has. */
export async function servePage(
  request: Request,
  { headers = {}, status = 200 }: { headers?: Readonly<Record<string, string>>; status?: number } = {},
): Promise<Response> {
  const page = await findFile('/index.html')
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
