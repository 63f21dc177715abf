/** Notifies members of tasks that others assign to them. See docs/reference/inbox.md (What notifies). */

import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { Micros } from '#base/timing/clock'
import { insertNotifications, type NewNotification } from './notify'
import { actingMember, recipientsAmong } from './notify-of-comment'

export interface TaskAssignment {
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
