/** Cookies with a token. Scripts cannot read them, and browsers send them only to this host and from its own pages. */

import { SESSION_SECONDS } from './sessions'

export interface SessionCookie {
  /** Returns the token in a request. */
  read(request: Request): string | undefined
  /** Returns the header that stores the cookie in a browser. */
  set(token: string): string
  /** The header that deletes the cookie. */
  readonly clear: string
}

/** The cookie of a session. */
export const sessionCookie = (brand: string, appUrl: string): SessionCookie =>
  tokenCookie(`${brand}_session`, appUrl, SESSION_SECONDS)

/** The cookie that binds a sign-in at a provider to the browser that began it. */
export const signInCookie = (brand: string, appUrl: string): SessionCookie =>
  tokenCookie(`${brand}_sign_in`, appUrl, SIGN_IN_SECONDS)

const SIGN_IN_SECONDS = 3600

/** With TLS, the name has a prefix by which browsers bind the cookie to this host. */
function tokenCookie(plainName: string, appUrl: string, seconds: number): SessionCookie {
  const isSecure = appUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}${plainName}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: (request) => valueOf(request.headers.get('cookie'), name),
    set: (token) => `${name}=${token}; ${attributes}; Max-Age=${seconds}`,
    clear: `${name}=; ${attributes}; Max-Age=0`,
  }
}

function valueOf(header: string | null, name: string): string | undefined {
  const start = `${name}=`
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(start))
  return pair?.trimStart().slice(start.length).trim() || undefined
}
