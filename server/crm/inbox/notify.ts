/**
 * Inserts notifications, in the transaction of the write that they are about, and queues the emails about them: of tasks, to
 * members to whom others assign them; of comments, to members whom they mention, and to those who wrote in their thread.
 * See docs/reference/inbox.md (What notifies); docs/decisions/notifications.md.
 */
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { RequestContext } from '#context'
import { type CommentContent, mentionedIn } from '#crm/comments/content'
import { renderArray, type Transaction } from '#db/connect'
import { hiddenObjectIds } from '#engine/data-model/access/hidden'
import { modelOfMember } from '#engine/data-model/access/member-model'
import { findList, findObject, listTypes } from '#engine/data-model/find'
import type { DataModel, Member } from '#engine/data-model/model'
import { accessLevelOn, type Viewer } from '#engine/data-model/viewer'
import {
  compileStatement,
  type ParameterTexts,
  type Placeholder,
  runStorageStatement,
  typedParam,
} from '#engine/storage/statement'
import { DIGEST_DELAY, DIGEST_INTERVAL, type InboxKey, type NotificationKind } from './store'

export interface NewNotification {
  readonly memberId: string
  readonly kind: NotificationKind
  readonly commentId: string | null
  readonly taskId: string | null
}

interface NotificationOrigin {
  readonly workspaceId: string
  /** The number of the actor who caused the notifications. */
  readonly actor: number
  readonly at: Micros
}

/** The steps of a statement that inserts notifications and queues digests. */
export const notificationSteps = (param: Placeholder): string[] => {
  const workspace = typedParam(param, 'workspace', 'uuid')
  const at = typedParam(param, 'notified_at', 'timestamptz')
  const recipients = typedParam(param, 'recipients', 'uuid[]')
  return [
    `notifications as (
      insert into relata.notifications (workspace_id, member_id, id, kind, comment_id, task_id, actor, created_at)
      select ${workspace}, n.member_id, n.id, n.kind, n.comment_id, n.task_id, ${typedParam(param, 'notifier', 'int')}, ${at}
      from unnest(${recipients}, ${typedParam(param, 'notification_ids', 'uuid[]')}, ${typedParam(param, 'notification_kinds', 'text[]')},
        ${typedParam(param, 'notification_comments', 'uuid[]')}, ${typedParam(param, 'notification_tasks', 'uuid[]')})
        as n(member_id, id, kind, comment_id, task_id))`,
    // Members whose digest is queued. Writes share this lock, which keeps the digest in the queue until they commit.
    `queued as (
      select member_id from relata.inboxes
      where workspace_id = ${workspace} and member_id = any(${recipients}) and (due_at is not null or not sends_digest)
      order by member_id for share)`,
    // Rows are locked in the order of their members, so that two writes do not wait for each other.
    `digests as (
      insert into relata.inboxes as i (workspace_id, member_id, due_at)
      select distinct ${workspace}, member_id, ${at} + interval '${DIGEST_DELAY}'
      from unnest(${recipients}) as member_id where member_id not in (select member_id from queued) order by member_id
      on conflict (workspace_id, member_id) do update
      set due_at = coalesce(i.due_at, greatest(excluded.due_at, i.digested_at + interval '${DIGEST_INTERVAL}'))
      where i.sends_digest)`,
  ]
}

/** For `notificationSteps`. The statement must also have the parameter `workspace`. */
export function notificationTexts(
  { actor, at }: Omit<NotificationOrigin, 'workspaceId'>,
  notifications: readonly NewNotification[],
): ParameterTexts {
  const all = <T>(member: (notification: NewNotification) => T) => renderArray(notifications.map(member))
  return {
    notified_at: timestampFromMicros(at),
    notifier: String(actor),
    recipients: all(({ memberId }) => memberId),
    notification_ids: all(() => newId()),
    notification_kinds: all(({ kind }) => kind),
    notification_comments: all(({ commentId }) => commentId),
    notification_tasks: all(({ taskId }) => taskId),
  }
}

const INSERT = compileStatement((param) => `with ${notificationSteps(param).join(', ')} select 1`)

export async function insertNotifications(
  tx: Transaction,
  origin: NotificationOrigin,
  notifications: readonly NewNotification[],
): Promise<void> {
  if (notifications.length === 0) return
  await runStorageStatement(tx, INSERT, { workspace: origin.workspaceId, ...notificationTexts(origin, notifications) })
}

interface TaskAssignment {
  readonly taskId: string
  /** The numbers of the assignees' actors. */
  readonly assignees: readonly number[]
  /** The assignees before the write. Empty for a new task. */
  readonly before: readonly number[]
  readonly at: Micros
}

/** Notifies the new assignees, in the transaction of the write. */
export const notifyOfAssignment = (
  tx: Transaction,
  context: RequestContext,
  assignment: TaskAssignment,
): Promise<void> => {
  const origin = { workspaceId: context.model.workspace.id, actor: context.actor, at: assignment.at }
  return insertNotifications(tx, origin, notificationsOfAssignment(context, assignment))
}

/** The notifications of the new assignees. */
export function notificationsOfAssignment(
  context: RequestContext,
  { taskId, assignees, before }: Omit<TaskAssignment, 'at'>,
): NewNotification[] {
  const { model } = context
  const self = actingMember(context)
  const added = assignees.filter((number) => !before.includes(number))
  const memberIds = added.flatMap((number) => model.actors.get(number)?.id ?? [])
  const others = [...new Set(memberIds)].filter((id) => id !== self)
  return recipientsAmong(model, others, null).map(({ id }) => ({
    memberId: id,
    kind: 'task-assigned',
    commentId: null,
    taskId,
  }))
}

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
const actingMember = ({ clientId, memberId }: RequestContext): string | undefined =>
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
const recipientsAmong = (
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
