/** Which tasks a list shows, and in which order. */

import { idOfTask, type Task, type TasksQuery } from '../../api/tasks/tasks'

export interface TaskView {
  readonly isCompleted: boolean
  /** The id of a member; absent for the tasks of all. */
  readonly assignee?: string
  /** Only tasks that are linked to this record. */
  readonly record?: { readonly object: string; readonly id: string }
}

/** Open tasks by their deadline, completed ones by the time of their completion, the newest first. */
export const queryOf = ({ isCompleted, assignee, record }: TaskView): TasksQuery => ({
  is_completed: isCompleted,
  sort: isCompleted ? 'completed_at:desc' : 'deadline_at:asc',
  ...(assignee !== undefined && { assignee }),
  ...(record && { linked_object: record.object, linked_record_id: record.id }),
})

export const isInView = (task: Task, { isCompleted, assignee, record }: TaskView): boolean =>
  task.is_completed === isCompleted &&
  (assignee === undefined || task.assignees.some(({ referenced_actor_id }) => referenced_actor_id === assignee)) &&
  (record === undefined || task.linked_records.some(({ target_record_id }) => target_record_id === record.id))

/** The order of the query. */
export function compareIn({ isCompleted }: TaskView): (a: Task, b: Task) => number {
  return (a, b) => {
    const byTime = isCompleted
      ? timeOf(b.completed_at) - timeOf(a.completed_at)
      : timeOf(a.deadline_at) - timeOf(b.deadline_at)
    if (byTime !== 0) return byTime
    const byAge = timeOf(a.created_at) - timeOf(b.created_at) || (idOfTask(a) < idOfTask(b) ? -1 : 1)
    return isCompleted ? -byAge : byAge
  }
}

/** Larger than any instant. A difference of two infinities would not be a number. */
const NEVER = 1e16

const timeOf = (instant: string | null): number => (instant === null ? NEVER : Date.parse(instant))
