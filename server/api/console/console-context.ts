/** The parts that all routes of the console use: the application, the route guard, the session cookie and the gateway. */

import type { AuditActor } from '#access/audit-log/audit'
import { sessionCookie, type SessionCookie } from '#access/sessions/session-cookie'
import type { Device } from '#access/sessions/sessions'
import { JsonText } from '#api/http/response/answer'
import {
  type SessionGuard,
  type ConsoleMember,
  createSessionGuard,
  type SessionAuthenticator,
} from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { createGateway, type Gateway } from './gateway'
import { createSessionAuthenticator } from './authenticator'

export interface ConsoleContext {
  readonly appContext: AppContext
  readonly authenticator: SessionAuthenticator
  readonly guard: SessionGuard
  readonly cookie: SessionCookie
  readonly gateway: Gateway
}

export function createConsoleContext(appContext: AppContext): ConsoleContext {
  const { brand, appUrl } = appContext.settings
  const cookie = sessionCookie(brand, appUrl)
  const authenticator = createSessionAuthenticator(appContext, cookie)
  return {
    appContext,
    authenticator,
    guard: createSessionGuard(appContext.settings, authenticator),
    cookie,
    gateway: createGateway(appContext, authenticator),
  }
}

interface RequestOrigin {
  readonly request: Request
  readonly address: string | null
}

/** Returns the browser and the network address of a request. */
export const deviceOf = ({ request, address }: RequestOrigin): Device => ({
  userAgent: request.headers.get('user-agent') ?? '',
  address,
})

/** Returns the actor of a request for the audit log. */
export const auditActorOf = ({ member, address }: { member: ConsoleMember; address: string | null }): AuditActor => ({
  actor: { type: 'workspace-member', id: member.memberId },
  address,
})

/** Returns an answer that sets a cookie. */
export const withCookie = (header: string, data: object = {}): JsonText =>
  new JsonText(JSON.stringify({ data }), { headers: { 'Set-Cookie': header } })
