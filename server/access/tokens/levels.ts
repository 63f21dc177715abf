/**
 * Token levels: a token of the workspace has what its scopes allow; a token of the level `user` acts for the member who
 * authorised it, with the access that this member has at the time of each request.
 * See docs/reference/access-and-oauth.md (Token levels); docs/decisions/token-levels.md.
 */

import type { DataModel } from '#engine/data-model/model'
import { hasPermission, type Role, scopesOfRole } from '#vocabulary/roles'
import { commonScopes, type TokenLevel } from '#vocabulary/scopes'
import type { Token } from './tokens'

/** Whether a member may authorise an app. A token that acts for the member is like an API key of the member. */
export const mayAuthorize = (role: Role, level: TokenLevel): boolean =>
  level === 'user' ? hasPermission(role, 'api_keys') : role.accessLevel === 'admin'

/** The token with the scopes that its member has at present as well. Undefined when it acts for a suspended member. */
export function presentToken(token: Token, model: DataModel): Token | undefined {
  if (token.level === 'workspace') return token
  const member = model.membersById.get(token.authorizedBy)
  if (member === undefined || member.access_level === 'suspended') return undefined
  const role = { accessLevel: member.access_level, memberPermissions: model.workspace.member_permissions }
  return { ...token, scopes: commonScopes(token.scopes, scopesOfRole(role)) }
}
