/**
 * Inserts notifications, in the transaction of the write that they are about, and queues the emails about them.
 * See docs/decisions/notifications.md.
 */

import { renderArray, type Transaction } from '#db/connect'
import { newId } from '#base/ids'
import {
  compileStatement,
  type ParameterTexts,
  type Placeholder,
  runStorageStatement,
  typedParam,
} from '#engine/storage/statement'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { DIGEST_DELAY, DIGEST_INTERVAL } from './settings'

export type NotificationKind = 'mention' | 'reply' | 'task-assigned'

export interface NewNotification {
  readonly memberId: string
  readonly kind: NotificationKind
  readonly commentId: string | null
  readonly taskId: string | null
}

export interface NotificationOrigin {
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
