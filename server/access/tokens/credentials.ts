/**
 * What an Authorization header holds. Tokens are taken from nowhere else.
 * See docs/reference/access-and-oauth.md (Presenting a token).
 */

/** Keys have 64 characters; so one look at the length tells a mistyped one. */
const TOKEN_LENGTH = 64

export type Credentials =
  { readonly kind: 'missing' } | { readonly kind: 'malformed' } | { readonly kind: 'token'; readonly token: string }

export function readCredentials(header: string | null): Credentials {
  const text = header?.trim() ?? ''
  if (text === '') return { kind: 'missing' }
  const [scheme = ''] = text.split(/\s/, 1)
  const token = tokenOf(scheme.toLowerCase(), text.slice(scheme.length).trimStart())
  return token?.length === TOKEN_LENGTH ? { kind: 'token', token } : { kind: 'malformed' }
}

/** Basic carries the token as the user name. */
function tokenOf(scheme: string, rest: string): string | undefined {
  if (scheme === 'bearer') return rest
  if (scheme === 'basic') return Buffer.from(rest, 'base64').toString('utf8').split(':', 1)[0]
  return undefined
}
