/**
 * Whether a page of this service sent a request that changes something. Browsers name the origin in headers that no page
 * can set. Programs send none of them, and only cookies that they were given. Decision 0041.
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
