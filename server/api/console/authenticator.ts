/** Finds the session of a request by its cookie, and the member by the session's account. */

import { isUuid } from '#engine/attribute-types/formats/uuids'
import { findMembership } from '#access/members/memberships'
import { isSameSecret } from '#access/secrets'
import type { SessionCookie } from '#access/sessions/session-cookie'
import { findSession } from '#access/sessions/sessions'
import { providerRequired, secondFactorRequired } from '#base/errors/access'
import type { SessionAuthenticator } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'

export const createSessionAuthenticator = (
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  cookie: SessionCookie,
): SessionAuthenticator => ({
  async sessionOf(request) {
    const token = cookie.read(request)
    return token === undefined ? undefined : findSession(db, token, now())
  },
  async memberOf(session, workspaceId) {
    const member = isUuid(workspaceId) ? await findMembership(db, session, workspaceId.toLowerCase()) : undefined
    if (member?.accessLevel === 'suspended') return member
    if (member?.missingStep === 'provider') throw providerRequired()
    if (member?.missingStep === 'second_factor') throw secondFactorRequired()
    return member
  },
  isSameToken: isSameSecret,
})
