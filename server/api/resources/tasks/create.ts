import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { newId } from '#base/ids'
import { runShortTransaction } from '#engine/storage/short-transaction'
import { timestampFromMicros } from '#base/timing/clock'
import { type AnsweredTask, answerTask } from './render'
import { resolveAssignees } from './assignees'
import { parseDeadline } from './deadline'
import { lockLinkedRecords, parseLinkedRecords } from './linked-records'
import type { TaskInput } from './schemas'
import { insertTask } from './write-statements'

/** Throws 400 for a record or a member that does not exist. See docs/reference/tasks.md (Members). */
export const createTask = (context: ApiContext, input: TaskInput): Promise<AnsweredTask> =>
  retryOnConflict(context, async (context) => {
    const { model, actor } = context
    const deadline = parseDeadline(input.deadline_at)
    const assignees = resolveAssignees(model, input.assignees)
    const named = parseLinkedRecords(model, input.linked_records)
    const task = await runShortTransaction(context.db, async (tx) => {
      const links = await lockLinkedRecords(tx, model, named)
      const now = context.now()
      const created_at = timestampFromMicros(now)
      const completion = input.is_completed
        ? { completed_at: created_at, completed_by: actor }
        : { completed_at: null, completed_by: null }
      const own = { id: newId(), content: input.content, created_at, created_by: actor, version: 1 }
      return insertTask(context, { ...own, ...deadline, ...completion, assignees, links }, now)
    })
    return answerTask(model, task)
  })
