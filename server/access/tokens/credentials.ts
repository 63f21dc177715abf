/**
 * Reads the token from an Authorization header. No other part of a request can carry a token.
 * See docs/reference/access-and-oauth.md (Presenting a token).
 */

/** The length of every token. A header with another length is refused without a look-up. */
const TOKEN_LENGTH = 64

export type TokenCredentials =
  { readonly kind: 'missing' } | { readonly kind: 'malformed' } | { readonly kind: 'token'; readonly token: string }

/** `bearer` is the token that the bearer plugin read. The plugin reads only the scheme written as `Bearer`. */
export function readCredentials(header: string | null, bearer?: string): TokenCredentials {
  if (bearer !== undefined) return checkLength(bearer.trim())
  const text = header?.trim() ?? ''
  if (text === '') return { kind: 'missing' }
  const [scheme = ''] = text.split(/\s/, 1)
  return checkLength(tokenOf(scheme.toLowerCase(), text.slice(scheme.length).trimStart()))
}

const checkLength = (token: string | undefined): TokenCredentials =>
  token?.length === TOKEN_LENGTH ? { kind: 'token', token } : { kind: 'malformed' }

/** With the scheme Basic, the token is the user name. */
function tokenOf(scheme: string, rest: string): string | undefined {
  if (scheme === 'bearer') return rest
  if (scheme === 'basic') return Buffer.from(rest, 'base64').toString('utf8').split(':', 1)[0]
  return undefined
}
