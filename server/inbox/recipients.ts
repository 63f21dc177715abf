/** Which members are notified, and of what they may read. See docs/reference/inbox.md (What notifies). */

import { listTypes } from '../data-model/find'
import type { DataModel, Member } from '../data-model/model'
import { accessLevelOn, type Viewer } from '../data-model/viewer'

/** A member's access to lists does not depend on scopes. */
const viewerOfMember = ({ id, access_level }: Member): Viewer => ({
  kind: 'workspace-member',
  memberId: id,
  isAdmin: access_level === 'admin',
  scopes: new Set(),
})

/** The ids of the lists that a member may see. */
export const listsVisibleTo = (model: Pick<DataModel, 'entityTypes'>, member: Member): readonly string[] =>
  listTypes(model)
    .filter((list) => accessLevelOn(viewerOfMember(member), list) !== undefined)
    .map(({ id }) => id)

/** Leaves out members who are suspended or may not see the list. `listId` is null for a subject outside of lists. */
export function recipientsAmong(model: DataModel, memberIds: readonly string[], listId: string | null): Member[] {
  const list = listId === null ? undefined : model.entityTypesById.get(listId)
  return memberIds.flatMap((id) => {
    const member = model.membersById.get(id)
    if (member === undefined || member.access_level === 'suspended') return []
    if (listId === null) return [member]
    return list?.kind === 'list' && accessLevelOn(viewerOfMember(member), list) !== undefined ? [member] : []
  })
}
