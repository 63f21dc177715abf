/**
 * Where a person's browser may be sent with a code. Compared as text, byte for byte, so that no two readers of URLs can
 * disagree about what an address means; of loopback addresses alone the port is free.
 * See docs/reference/access-and-oauth.md (Apps, Authorization request).
 */

/** `http` to the person's own machine: host, port, and the rest. RFC 8252, 7.3. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/

/** A scheme of an app's own, made from a domain name turned round. RFC 8252, 7.1. */
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/{1,3}[^/]/

/** The members of our answer; an address that brings one of them already would make two of it. */
const ANSWER_MEMBERS = ['code', 'state', 'iss', 'error', 'error_description']

const MAX_LENGTH = 2000

/** What is wrong with an address that is to be registered; undefined when nothing is. */
export function problemOfRedirectUri(uri: string, isPublicApp: boolean): string | undefined {
  if (uri.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\<>"`{}|^]/.test(uri)) return 'must be a plain address, percent-encoded'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not have a wildcard; it is compared as it stands'
  const url = URL.parse(uri)
  if (url === null) return 'must be an absolute address'
  if (ANSWER_MEMBERS.some((name) => url.searchParams.has(name))) return `must not have ${ANSWER_MEMBERS.join(', ')}`
  return problemOfKind(uri, url, isPublicApp)
}

function problemOfKind(uri: string, url: URL, isPublicApp: boolean): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must not name a user or password'
  if (url.protocol === 'https:') return /^https:\/\/[^/?]/.test(uri) ? undefined : 'must name a host'
  if (isLoopback(uri)) return undefined
  if (url.protocol === 'http:') return 'must begin with https://; http:// is for localhost, 127.0.0.1 and [::1] alone'
  if (!OWN_SCHEME.test(uri)) return 'must begin with https://, or with a scheme that has a dot, as com.example.app:/'
  return isPublicApp ? undefined : 'must begin with https://; schemes of their own are for public apps'
}

export const isLoopback = (uri: string): boolean => LOOPBACK.test(uri)

/** Whether an app that registered these may be answered at `uri`. A port that is free must still be a port. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  const bare = uri.length <= MAX_LENGTH && URL.canParse(uri) ? withoutPort(uri) : undefined
  return bare !== undefined && registered.some((known) => withoutPort(known) === bare)
}

function withoutPort(uri: string): string | undefined {
  const [, origin, rest] = LOOPBACK.exec(uri) ?? []
  return origin === undefined ? undefined : `${origin}${rest}`
}

/** The address with our answer in its query; what it had there stays as it was. */
export function addParameters(uri: string, members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const separator = !uri.includes('?') ? '?' : uri.endsWith('?') || uri.endsWith('&') ? '' : '&'
  return `${uri}${separator}${new URLSearchParams(given)}`
}

/** What a person is shown of it: the host, or the app's own scheme. */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri) // only addresses that were registered get here
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}
