/** The cookie with the token of a session. Scripts cannot read it, and browsers send it only to this host and from its own pages. */

import { SESSION_SECONDS } from './sessions'

export interface SessionCookie {
  /** Returns the token of the session in a request. */
  read(request: Request): string | undefined
  /** Returns the header that stores the cookie in a browser. */
  set(token: string): string
  /** The header that deletes the cookie. */
  readonly clear: string
}

/** With TLS, the name has a prefix by which browsers bind the cookie to this host. */
export function sessionCookie(brand: string, appUrl: string): SessionCookie {
  const isSecure = appUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}${brand}_session`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: (request) => valueOf(request.headers.get('cookie'), name),
    set: (token) => `${name}=${token}; ${attributes}; Max-Age=${SESSION_SECONDS}`,
    clear: `${name}=; ${attributes}; Max-Age=0`,
  }
}

function valueOf(header: string | null, name: string): string | undefined {
  const start = `${name}=`
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(start))
  return pair?.trimStart().slice(start.length).trim() || undefined
}
