/**
 * Redirect URIs, to which a browser brings a code. They are compared byte for byte, so that the result does not depend on a
 * URL parser. Only loopback addresses may differ in their port.
 * See docs/reference/access-and-oauth.md (Apps, Authorization request).
 */

/** An `http` address of the person's own machine: host, port, and the rest. RFC 8252, 7.3. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/

/** A private-use URI scheme, which is a reversed domain name. RFC 8252, 7.1. */
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/{1,3}[^/]/

/** The parameters that the service adds. A redirect URI with one of them would have it twice. */
const RESPONSE_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description']

const MAX_LENGTH = 2000

/** Returns why a redirect URI cannot be registered, or undefined when it can. */
export function problemOfRedirectUri(uri: string, isPublicApp: boolean): string | undefined {
  if (uri.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\<>"`{}|^]/.test(uri)) return 'must be a plain address, percent-encoded'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard; it is compared as it stands'
  const url = URL.parse(uri)
  if (url === null) return 'must be an absolute address'
  if (RESPONSE_PARAMETERS.some((name) => url.searchParams.has(name)))
    return `must not have ${RESPONSE_PARAMETERS.join(', ')}`
  return problemOfKind(uri, url, isPublicApp)
}

function problemOfKind(uri: string, url: URL, isPublicApp: boolean): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must not name a user or password'
  if (url.protocol === 'https:') return /^https:\/\/[^/?]/.test(uri) ? undefined : 'must name a host'
  if (isLoopback(uri)) return undefined
  if (url.protocol === 'http:') return 'must begin with https://; http:// is for localhost, 127.0.0.1 and [::1] alone'
  if (!PRIVATE_USE_SCHEME.test(uri))
    return 'must begin with https://, or with a scheme that has a dot, as com.example.app:/'
  return isPublicApp ? undefined : 'must begin with https://; schemes of their own are for public apps'
}

export const isLoopback = (uri: string): boolean => LOOPBACK.test(uri)

/** Whether `uri` is one of the registered redirect URIs. The port of a loopback address may differ, and must be valid. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  const portless = uri.length <= MAX_LENGTH && URL.canParse(uri) ? withoutPort(uri) : undefined
  return portless !== undefined && registered.some((one) => withoutPort(one) === portless)
}

function withoutPort(uri: string): string | undefined {
  const [, origin, rest] = LOOPBACK.exec(uri) ?? []
  return origin === undefined ? undefined : `${origin}${rest}`
}

/** Adds parameters to the query of a redirect URI, and leaves the existing query unchanged. */
export function addParameters(uri: string, members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const separator = !uri.includes('?') ? '?' : uri.endsWith('?') || uri.endsWith('&') ? '' : '&'
  return `${uri}${separator}${new URLSearchParams(given)}`
}

/** Returns the host, or the private-use scheme, which the consent page shows. */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri) // a registered redirect URI is a valid URL
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}
