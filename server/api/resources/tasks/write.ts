/** Creates, changes and deletes tasks. See docs/reference/tasks.md. */

import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { newId } from '#base/ids'
import { runShortTransaction } from '#engine/storage/short-transaction'
import { timestampFromMicros } from '#base/timing/clock'
import {
  type AnsweredTask,
  answerTask,
  lockTaskRecords,
  type NamedRecord,
  parseDeadline,
  parseTaskRecords,
  recordTaskEvent,
  resolveAssignees,
  type Task,
} from './task'
import { Content, type TaskChange, type TaskInput } from './schemas'
import { deleteTaskRow, findTask, insertTask, type TaskStamp, updateTaskRow as updateTaskRows } from './store'
import type { Transaction } from '#db/connect'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { requireMatch } from '#engine/entities/read/etag'
import { invalidBody, readId } from '#base/errors/http'
import { taskNotFound } from '#base/errors/meetings'
import { notifyOfAssignment } from '#crm/inbox/notify'
import { compileCheck } from '#base/validation/compile-check'

/** Throws 400 for a record or a member that does not exist. See docs/reference/tasks.md (Members). */
export const createTask = (context: ApiContext, input: TaskInput): Promise<AnsweredTask> =>
  retryOnConflict(context, async (context) => {
    const { model, actor } = context
    const deadline = parseDeadline(input.deadline_at)
    const assignees = resolveAssignees(model, input.assignees)
    const named = parseTaskRecords(model, input.linked_records)
    const task = await runShortTransaction(context.db, async (tx) => {
      const links = await lockTaskRecords(tx, model, named)
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

/** Changes a task. See docs/reference/tasks.md (Changes). */
const checkContent = compileCheck(Content)

/** What a body changes, before the records that it names are found. */
interface ParsedChange {
  readonly state: Partial<Pick<Task, 'content' | 'deadline_at' | 'deadline_ns' | 'assignees'>>
  readonly isCompleted: boolean | undefined
  readonly named: readonly NamedRecord[] | undefined
}

/** Members that are not sent stay. Throws 404, 400 for a record or a member that does not exist, and 412. */
export const updateTask = (
  context: ApiContext,
  taskId: string,
  input: TaskChange,
  ifMatch: string | null,
): Promise<AnsweredTask> =>
  retryOnConflict(context, async (context) => {
    const id = readId('Task', taskId)
    const { workspace } = context.model
    if ((await findTask(context.db.sql, workspace.id, id)) === undefined) throw taskNotFound(taskId)
    const change = parseChange(context, input)
    const task = await context.db.sql.begin(async (tx) => {
      // A deletion of a record locks the record first and then its tasks, so an update does too.
      const links = change.named && (await lockTaskRecords(tx, context.model, change.named))
      const before = await findTask(tx, workspace.id, id, 'lock')
      if (before === undefined) throw taskNotFound(taskId)
      requireMatch(before, ifMatch)
      return save(tx, context, before, {
        ...change,
        links: links && [...links, ...hiddenLinksOf(context.model, before)],
      })
    })
    return answerTask(context.model, task as Task) // the driver's type for the callback's result is wider
  })

function parseChange({ model }: ApiContext, input: TaskChange): ParsedChange {
  const { content, format, deadline_at, is_completed, linked_records, assignees } = input
  return {
    state: {
      ...(format === undefined || content === undefined ? {} : { content: requireContent(content) }),
      ...(deadline_at === undefined ? {} : parseDeadline(deadline_at)),
      ...(assignees === undefined ? {} : { assignees: resolveAssignees(model, assignees) }),
    },
    isCompleted: is_completed,
    named: linked_records && parseTaskRecords(model, linked_records),
  }
}

function requireContent(content: unknown): string {
  const issues = checkContent(content)
  if (issues.length > 0)
    throw invalidBody(issues.map((issue) => ({ ...issue, path: ['data', 'content', ...issue.path] })))
  return content as string // checked against the schema
}

/** The links that the member does not see. They stay. */
const hiddenLinksOf = (model: DataModel, { links }: Task): Task['links'] =>
  links.filter(({ objectId }) => isHiddenObjectId(model, objectId))

/** Without a difference, nothing is written and there is no event. */
async function save(
  tx: Transaction,
  context: ApiContext,
  before: Task,
  { state, isCompleted, links = before.links }: ParsedChange & { readonly links: Task['links'] | undefined },
): Promise<Task> {
  const stamp = { now: context.now(), actor: context.actor }
  const after = { ...before, ...state, ...completionOf(before, isCompleted, stamp), links }
  if (Bun.deepEquals(before, after)) return before
  const task = { ...after, version: before.version + 1 }
  await updateTaskRows(tx, context.model.workspace.id, task, stamp)
  await notifyOfAssignment(tx, context, {
    taskId: task.id,
    assignees: task.assignees,
    before: before.assignees,
    at: stamp.now,
  })
  await recordTaskEvent(tx, context, 'updated', { id: task.id, at: stamp.now })
  return task
}

/** A task that is completed already keeps the time. */
function completionOf(
  before: Task,
  isCompleted: boolean | undefined,
  { now, actor }: TaskStamp,
): Pick<Task, 'completed_at' | 'completed_by'> | undefined {
  if (isCompleted === undefined || isCompleted === (before.completed_at !== null)) return undefined
  return isCompleted
    ? { completed_at: timestampFromMicros(now), completed_by: actor }
    : { completed_at: null, completed_by: null }
}

/** Deletes a task for good; the records it is linked to stay. Throws 404 and 412. */
export const deleteTask = (context: ApiContext, taskId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const id = readId('Task', taskId)
    const { workspace } = context.model
    await context.db.sql.begin(async (tx) => {
      const task = await findTask(tx, workspace.id, id, 'lock')
      if (task === undefined) throw taskNotFound(taskId)
      requireMatch(task, ifMatch)
      await deleteTaskRow(tx, workspace.id, id)
      await recordTaskEvent(tx, context, 'deleted', { id, at: context.now() })
    })
    return {}
  })
