/** The access of a member to objects. See docs/access.md (Access to objects). */

import type { DataModel, ObjectType } from '#engine/data-model/model'
import { OBJECT_ACCESS, type ObjectAccess } from '#vocabulary/data-model'

/**
 * The access of a member. Admins have read-write access. Of several teams with a grant, the greatest grant counts; it replaces
 * the grant of all members, whether it is greater or less.
 */
export function objectAccessOf(model: DataModel, memberId: string, { grants }: ObjectType): ObjectAccess {
  if (grants === undefined || model.membersById.get(memberId)?.access_level === 'admin') return 'read-write'
  const ofTeams = grants.teams.filter(({ memberIds }) => memberIds.has(memberId)).map(({ access }) => access)
  return OBJECT_ACCESS.findLast((access) => ofTeams.includes(access)) ?? grants.members
}
