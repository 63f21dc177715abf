/** Notifies members of tasks that others assign to them. See docs/reference/inbox.md (What notifies). */

import type { Transaction } from '../../db/connect'
import type { RequestContext } from '../context'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import { insertNotifications, type NewNotification } from './notify'
import { actingMember } from './notify-of-comment'
import { recipientsAmong } from './recipients'

/** `memberIds` are the members who are assigned now and were not before. Call it in the transaction of the write. */
export async function notifyAssigned(
  tx: Transaction,
  context: RequestContext,
  taskId: string,
  memberIds: readonly string[],
): Promise<void> {
  const { model, actor } = context
  const self = actingMember(context)
  const others = [...new Set(memberIds)].filter((id) => id !== self)
  const notifications = recipientsAmong(model, others, null).map(({ id }): NewNotification => ({
    memberId: id,
    kind: 'task-assigned',
    commentId: null,
    taskId,
  }))
  await insertNotifications(tx, { workspaceId: model.workspace.id, actor, at: context.now() }, notifications)
}

/** Deletes the notifications about a task, in the transaction that deletes the task. */
export async function deleteTaskNotifications(
  tx: Transaction,
  { model }: RequestContext,
  taskId: string,
): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.notifications')
    .where('workspace_id', '=', model.workspace.id)
    .where('task_id', '=', taskId)
    .execute()
}
