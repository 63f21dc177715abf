/** The cookie that carries a session: for this host alone, unreadable to scripts, not sent along from other sites. */

import { SESSION_SECONDS } from './sessions'

export interface SessionCookie {
  /** The session's token in a request. */
  read(request: Request): string | undefined
  /** Header that gives it to a browser. */
  set(token: string): string
  /** Header that takes it away. */
  readonly clear: string
}

/** With TLS, browsers hold the cookie to this very host by its prefix. */
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
