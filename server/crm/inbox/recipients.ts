/** Which members are notified, and of what they may read. See docs/reference/inbox.md (What notifies). */

import { findList, findObject, listTypes } from '#engine/data-model/find'
import { hiddenObjectIds } from '#engine/data-model/access/hidden'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { DataModel, Member } from '#engine/data-model/model'
import { accessLevelOn, type Viewer } from '#engine/data-model/viewer'
import type { InboxKey } from './store'

/** A member's access to lists does not depend on scopes. */
const viewerOfMember = ({ id, access_level }: Member): Viewer => ({
  kind: 'workspace-member',
  memberId: id,
  isAdmin: access_level === 'admin',
  scopes: new Set(),
})

/** The ids of the lists that a member may see. */
export const listsVisibleTo = (
  model: Pick<DataModel, 'entityTypes' | 'entityTypesById'>,
  member: Member,
): readonly string[] =>
  listTypes(model)
    .filter((list) => accessLevelOn(viewerOfMember(member), list) !== undefined)
    .map(({ id }) => id)

/** The key of the member's notifications. `model` is that of the member. */
export const inboxKeyOf = (model: DataModel, member: Member): InboxKey => ({
  workspaceId: model.workspace.id,
  memberId: member.id,
  visibleLists: listsVisibleTo(model, member),
  hiddenObjects: hiddenObjectIds(model),
})

/** The record or the entry that a notification is about. `list_id` is null for a record. */
export interface NotificationSubject {
  readonly object_id: string
  readonly list_id: string | null
}

/** Leaves out members who are suspended or may not see the subject. `subject` is null for a task. */
export const recipientsAmong = (
  model: DataModel,
  memberIds: readonly string[],
  subject: NotificationSubject | null,
): Member[] =>
  memberIds.flatMap((id) => {
    const member = model.membersById.get(id)
    if (member === undefined || member.access_level === 'suspended') return []
    return subject === null || maySeeSubject(modelOfMember(model, id), member, subject) ? [member] : []
  })

function maySeeSubject(model: DataModel, member: Member, { object_id, list_id }: NotificationSubject): boolean {
  if (findObject(model, object_id) === undefined) return false
  const list = list_id === null ? undefined : findList(model, list_id)
  return list_id === null || (list !== undefined && accessLevelOn(viewerOfMember(member), list) !== undefined)
}
