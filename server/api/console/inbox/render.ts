/** Notifications as the console shows them. See docs/reference/inbox.md (Notifications). */

import { getActor } from '#engine/attribute-types/actor-reference'
import { renderMentions } from '#crm/comments/content'
import type { DataModel } from '#engine/data-model/model'
import type { DueTask } from '#crm/inbox/due-tasks'
import type { CommentNotificationRow, NotificationRow, TaskNotificationRow } from '#crm/inbox/store'
import { excerpt } from '#base/text/excerpt'
import { timestampFromPostgres } from '#base/timing/clock'

export interface NotificationOutput {
  readonly id: string
  readonly kind: NotificationRow['kind']
  readonly actor: { readonly type: string; readonly id: string | null }
  readonly created_at: string
  readonly read_at: string | null
  readonly comment: object | null
  readonly task: object | null
}

/** Throws `ModelVersionConflict` for an actor or a mentioned member that the model lacks. */
export const renderNotification = (model: DataModel, row: NotificationRow): NotificationOutput => ({
  id: row.id,
  kind: row.kind,
  actor: getActor(model, row.actor),
  created_at: timestampFromPostgres(row.created_at),
  read_at: renderTime(row.read_at),
  comment: row.task_id === null ? renderComment(row, renderMentions(model, row.content)) : null,
  task: row.task_id === null ? null : renderTask(row),
})

const renderComment = (row: CommentNotificationRow, text: string) => ({
  comment_id: row.comment_id,
  thread_id: row.thread_id,
  excerpt: excerpt(text),
  record: { object_id: row.object_id, record_id: row.record_id },
  entry: row.entry_id === null ? null : { list_id: row.list_id, entry_id: row.entry_id },
  resolved_at: renderTime(row.resolved_at),
})

const renderTask = ({ task_id, task_content, deadline_at, deadline_ns, is_completed }: TaskNotificationRow) => ({
  task_id,
  excerpt: excerpt(task_content),
  deadline_at: deadline_at === null ? null : timestampFromPostgres(deadline_at, deadline_ns),
  is_completed,
})

export const renderDueTask = ({ id, content, deadline_at, deadline_ns }: DueTask) => ({
  task_id: id,
  excerpt: excerpt(content),
  deadline_at: timestampFromPostgres(deadline_at, deadline_ns),
  is_completed: false,
})

const renderTime = (time: string | null): string | null => (time === null ? null : timestampFromPostgres(time))
