/**
 * Parses the URL of a request. The runtime builds it from the Host header. With an invalid one, it is only a path, or a
 * text that no URL parser accepts. So no other code parses the URL of a request.
 */

/** For a request without a Host header, which HTTP/1.0 allows. */
const UNNAMED_HOST = 'http://localhost'

const LONGEST_HOST = 255
const HOST = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i

type Named = Pick<Request, 'url'>

/** Never throws. */
export function urlOf({ url }: Named): URL {
  return URL.parse(url.startsWith('/') ? UNNAMED_HOST + url : url) ?? new URL(UNNAMED_HOST)
}

/** The path as it was sent, not normalised. */
export const pathOf = ({ url }: Named): string => /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] || '/'

/** Whether the Host header names one host, with or without a port, or is absent. */
export function isHostValid({ headers }: Pick<Request, 'headers'>): boolean {
  const host = headers.get('host')
  return host === null || (host.length <= LONGEST_HOST && HOST.test(host) && URL.canParse(`http://${host}/`))
}

/** The address of the client behind the trusted proxies. */

/** The part of Bun's server that gives the address of a connection. */
export interface Listener {
  requestIP(request: Request): { readonly address: string } | null
}

/**
 * Each of the `proxies` appends the address of its client to `X-Forwarded-For`. The client may have sent earlier elements of
 * the header itself, so they are not read. Returns null when the address is unknown.
 */
export function clientAddress(request: Request, listener: Listener | null, proxies: number): string | null {
  const direct = listener?.requestIP(request)?.address ?? null
  if (proxies === 0) return direct
  const heard = request.headers.get('x-forwarded-for')?.split(',') ?? []
  return heard.at(-proxies)?.trim() || heard[0]?.trim() || direct
}

/**
 * Whether a page of this service sent a request that changes something. Browsers name the origin in headers that no page
 * can set. Programs send none of them, and only cookies that they were given. See docs/decisions/console-gateway.md.
 */

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

export const changesSomething = ({ method }: Request): boolean => !SAFE.has(method)

/** Accepts the origin of `appUrl`, and the host of the request, which differs from it during development. */
export function isSameOrigin({ headers }: Request, appUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return false
  const origin = headers.get('origin')
  if (origin === null) return true
  const url = URL.parse(origin)
  return url !== null && (url.origin === new URL(appUrl).origin || url.host === headers.get('host'))
}
