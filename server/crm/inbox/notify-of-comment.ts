/** Which members a new comment notifies: those whom it mentions, and those who wrote in its thread. See docs/reference/inbox.md (What notifies). */

import { type CommentContent, mentionedIn } from '#crm/comments/content'
import type { RequestContext } from '#context'
import type { Micros } from '#base/timing/clock'
import type { NewNotification } from './notify'
import { findList, findObject, listTypes } from '#engine/data-model/find'
import { hiddenObjectIds } from '#engine/data-model/access/hidden'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { DataModel, Member } from '#engine/data-model/model'
import { accessLevelOn, type Viewer } from '#engine/data-model/viewer'
import type { InboxKey } from './store'

interface WrittenComment {
  readonly id: string
  readonly author_id: string
  readonly content: CommentContent
  /** The time that the comment shows. */
  readonly at: Micros
  readonly object_id: string
  readonly list_id: string | null
}

/** Older comments count as imported and cause no notifications. */
const MAX_AGE: Micros = 24 * 3_600_000_000

/** The notifications of a new comment. `authors` are the authors of the comments before it in the thread. */
export function notificationsOfComment(
  context: RequestContext,
  comment: WrittenComment,
  authors: readonly string[],
): NewNotification[] {
  if (comment.at < context.now() - MAX_AGE) return []
  const mentioned = mentionedIn(comment.content)
  const own = new Set([comment.author_id, actingMember(context)])
  const others = [...new Set([...mentioned, ...authors])].filter((id) => !own.has(id))
  return recipientsAmong(context.model, others, comment).map(({ id }) => ({
    memberId: id,
    kind: mentioned.includes(id) ? 'mention' : 'reply',
    commentId: comment.id,
    taskId: null,
  }))
}

/** Undefined for a token, even if a member authorized it: the member is notified of what the token writes. */
export const actingMember = ({ clientId, memberId }: RequestContext): string | undefined =>
  clientId === undefined ? memberId : undefined

// Which members are notified, and of what they may read. See docs/reference/inbox.md (What notifies).

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
interface NotificationSubject {
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
