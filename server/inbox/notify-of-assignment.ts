/** Notifies members of tasks that others assign to them. See docs/reference/inbox.md (What notifies). */

import type { Transaction } from '../../db/connect'
import type { RequestContext } from '../context'
import type { Micros } from '../timing/clock'
import { insertNotifications, type NewNotification } from './notify'
import { actingMember } from './notify-of-comment'
import { recipientsAmong } from './recipients'

export interface TaskAssignment {
  readonly taskId: string
  /** The numbers of the assignees' actors. */
  readonly assignees: readonly number[]
  /** The assignees before the write. Empty for a new task. */
  readonly before: readonly number[]
  readonly at: Micros
}

/** Notifies the new assignees, in the transaction of the write. */
export async function notifyOfAssignment(
  tx: Transaction,
  context: RequestContext,
  { taskId, assignees, before, at }: TaskAssignment,
): Promise<void> {
  const { model, actor } = context
  const self = actingMember(context)
  const added = assignees.filter((number) => !before.includes(number))
  const memberIds = added.flatMap((number) => model.actors.get(number)?.id ?? [])
  const others = [...new Set(memberIds)].filter((id) => id !== self)
  const notifications = recipientsAmong(model, others, null).map(({ id }): NewNotification => ({
    memberId: id,
    kind: 'task-assigned',
    commentId: null,
    taskId,
  }))
  await insertNotifications(tx, { workspaceId: model.workspace.id, actor, at }, notifications)
}
