/** The parts that all routes of the console use: the application, the route guard, the session cookie and the gateway. */

import type { AuditActor } from '#access/audit-log/audit'
import { type Device, createSessionFinder, sessionCookie, type SessionCookie } from '#access/sessions/sessions'
import { requestLanguage } from '#api/http/request/request-language'
import { JsonText } from '#api/http/response/answer'
import {
  type ConsoleMember,
  createSessionGuard,
  type SessionAuthenticator,
  type SessionGuard,
} from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { createGateway, type Gateway } from './gateway'
import { isUuid } from '#vocabulary/uuids'
import { findMembership } from '#access/members/memberships'
import { isSameSecret } from '#access/secrets'
import { providerRequired, secondFactorRequired } from '#base/errors/access'
import type { DataModel } from '#engine/data-model/model'
import { modelOfMember } from '#engine/data-model/access/member-model'

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

/** Returns the browser, its language and the network address of a request. */
export const deviceOf = ({ request, address }: RequestOrigin): Device => ({
  userAgent: request.headers.get('user-agent') ?? '',
  address,
  language: requestLanguage(request),
})

/** Returns the actor of a request for the audit log. */
export const auditActorOf = ({ member, address }: { member: ConsoleMember; address: string | null }): AuditActor => ({
  actor: { type: 'workspace-member', id: member.memberId },
  address,
})

/** Returns an answer that sets a cookie. */
export const withCookie = (header: string, data: object = {}): JsonText =>
  new JsonText(JSON.stringify({ data }), { headers: { 'Set-Cookie': header } })

/** Finds the session of a request by its cookie, and the member by the session's account. */
const createSessionAuthenticator = (
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  cookie: SessionCookie,
): SessionAuthenticator => {
  const findSession = createSessionFinder(db, now)
  return {
    async sessionOf(request) {
      const token = cookie.read(request)
      return token === undefined ? undefined : findSession(token)
    },
    async memberOf(session, workspaceId) {
      const member = isUuid(workspaceId) ? await findMembership(db, session, workspaceId.toLowerCase()) : undefined
      if (member?.accessLevel === 'suspended') return member
      if (member?.missingStep === 'provider') throw providerRequired()
      if (member?.missingStep === 'second_factor') throw secondFactorRequired()
      return member
    },
    isSameToken: isSameSecret,
  }
}

/** The newest data model, as the member sees it. */
export const getMemberModel = async (
  { models }: Pick<AppContext, 'models'>,
  { workspaceId, memberId, modelVersion }: ConsoleMember,
): Promise<DataModel> => modelOfMember(await models.getSince(workspaceId, modelVersion), memberId)
