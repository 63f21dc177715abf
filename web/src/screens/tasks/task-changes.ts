/** What the dialog of a task saves: only what was changed, so that it does not undo what other people changed meanwhile. */

import { assigneeOf, type Task, type TaskChange } from '../../api/tasks/tasks'
import { dayOf, deadlineOf } from './due'

export interface TaskDraft {
  content: string
  /** As `YYYY-MM-DD`; empty without a deadline. */
  day: string
  memberIds: readonly string[]
  linked: Task['linked_records']
}

export const draftOf = (task: Task): TaskDraft => ({
  content: task.content_plaintext,
  day: dayOf(task.deadline_at),
  memberIds: task.assignees.map(({ referenced_actor_id }) => referenced_actor_id),
  linked: task.linked_records,
})

/** A deadline whose day is the same keeps its time. */
export function changesOf(task: Task, draft: TaskDraft): TaskChange {
  const before = draftOf(task)
  const content = draft.content.trim()
  return {
    ...(content !== before.content.trim() && { content }),
    ...(draft.day !== before.day && { deadline_at: deadlineOf(draft.day) }),
    ...(!isSame(draft.linked, before.linked) && { linked_records: draft.linked }),
    ...(!isSame(draft.memberIds, before.memberIds) && { assignees: draft.memberIds.map(assigneeOf) }),
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
