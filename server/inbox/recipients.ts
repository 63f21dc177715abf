/** Which members are notified, and of what they may read. See docs/reference/inbox.md (What notifies). */

import { type DataModel, type ListType, type Member } from '../data-model/model'
import { accessLevelOn, type Viewer } from '../data-model/viewer'

/** A member's access to lists does not depend on scopes. */
const viewerOf = ({ id, access_level }: Member): Viewer => ({
  kind: 'workspace-member',
  memberId: id,
  isAdmin: access_level === 'admin',
  scopes: new Set(),
})

const isList = (entityType: { readonly kind: string }): entityType is ListType => entityType.kind === 'list'

/** The ids of the lists that a member may see. */
export const listsVisibleTo = ({ entityTypes }: Pick<DataModel, 'entityTypes'>, member: Member): readonly string[] =>
  entityTypes
    .filter(isList)
    .filter((list) => accessLevelOn(viewerOf(member), list) !== undefined)
    .map(({ id }) => id)

/** Keeps the members who are not suspended and, for something on a list, may see the list. */
export function recipientsAmong(model: DataModel, memberIds: readonly string[], listId: string | null): Member[] {
  const list = listId === null ? undefined : model.entityTypesById.get(listId)
  return memberIds.flatMap((id) => {
    const member = model.membersById.get(id)
    if (member === undefined || member.access_level === 'suspended') return []
    if (listId === null) return [member]
    return list?.kind === 'list' && accessLevelOn(viewerOf(member), list) !== undefined ? [member] : []
  })
}
