/** Reads tasks and their lists. See docs/reference/tasks.md. */

import { runOnLookupPool } from '#db/connect'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidRequest, readId } from '#base/errors/http'
import { taskNotFound } from '#base/errors/meetings'
import { type AnsweredTask, answerTask, renderTask } from './render'
import { findTask } from './store'
import { findLinkFilter } from '#engine/attribute-types/formats/references'
import type { DataModel } from '#engine/data-model/model'
import { parseBound, resolveAssigneeFilter } from './task'
import { listTaskRows, type TaskList } from './list-statement'
import type { TaskOutput, TaskSort, TasksQuery } from './schemas'

/** Throws 404. */
export const getTask = (context: ApiContext, taskId: string): Promise<AnsweredTask> =>
  retryOnConflict(context, async ({ model, db }) => {
    const id = readId('Task', taskId)
    const task = await runOnLookupPool(db, (sql) => findTask(sql, model.workspace.id, id))
    if (task === undefined) throw taskNotFound(taskId)
    return answerTask(model, task)
  })

// Lists tasks. See docs/reference/tasks.md (Lists of tasks).

/** Throws 400 for half a link, for an unknown object or member, and for bounds of the deadline with another sort. */
export const listTasks = (context: ApiContext, query: TasksQuery): Promise<TaskOutput[]> =>
  retryOnConflict(context, async (context) => {
    const { model } = context
    const tasks = await listTaskRows(context, parseList(model, query))
    return tasks.map((task) => renderTask(model, task))
  })

function parseList(model: DataModel, query: TasksQuery): TaskList {
  const { deadline_from: from, deadline_before: before, assignee } = query
  return {
    sort: sortOf(query),
    link: findLinkFilter(model, query),
    assignee: assignee === undefined ? undefined : resolveAssigneeFilter(model, assignee),
    isCompleted: query.is_completed,
    from: from === undefined ? undefined : parseBound(from, 'deadline_from'),
    before: before === undefined ? undefined : parseBound(before, 'deadline_before'),
    limit: query.limit ?? 500,
    offset: query.offset ?? 0,
  }
}

function sortOf({ sort, deadline_from, deadline_before }: TasksQuery): TaskSort {
  if (deadline_from === undefined && deadline_before === undefined) return sort ?? 'created_at:asc'
  if (sort === undefined) return 'deadline_at:asc'
  if (sort.startsWith('deadline_at')) return sort
  throw invalidRequest('With deadline_from or deadline_before, tasks can only be sorted by deadline_at.')
}
