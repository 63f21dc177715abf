/** Reads tasks and their lists. See docs/reference/tasks.md. */

import { runOnLookupPool, runRead } from '#db/connect'
import type { ApiContext, RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidRequest, readId } from '#base/errors/http'
import { taskNotFound } from '#base/errors/meetings'
import {
  type AnsweredTask,
  answerTask,
  parseBound,
  renderTask,
  resolveAssigneeFilter,
  type Task,
  type TaskLink,
  UNASSIGNED,
} from './task'
import { findTask, LINKS_SQL, parseTask, TASK_COLUMNS, type TaskRow } from './store'
import { findLinkFilter } from '#engine/attribute-types/formats/references'
import type { DataModel } from '#engine/data-model/model'
import type { TaskOutput, TaskSort, TasksQuery } from './schemas'
import { columnTexts, type Placeholder, selectRows, statementsByShape, typedParam } from '#engine/storage/statement'

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

// The statements of lists of tasks. Each list reads one range of one index, in the order of the index, or merges two such
// ranges: that of open and that of completed tasks. See docs/reference/tasks.md (Lists of tasks).
//
// | filter                | indexes of `db/migrations/0170_base/17_tasks.sql`             |
// | --------------------- | ------------------------------------------------------------- |
// | a link                | `task_links_*`, where an assignee is a condition on the rows |
// | an assignee           | `task_assignees_*`                                           |
// | neither               | `tasks_*`                                                    |
//
// The sort chooses among `*_created`, `*_completed`, `*_deadline` and `*_deadline_desc`.

interface TaskList {
  readonly sort: TaskSort
  readonly link: TaskLink | undefined
  /** The number of a member's actor, or `UNASSIGNED`. */
  readonly assignee: number | undefined
  readonly isCompleted: boolean | undefined
  /** Bounds of the deadline, for lists that are sorted by deadline. */
  readonly from: string | undefined
  readonly before: string | undefined
  readonly limit: number
  readonly offset: number
}

async function listTaskRows({ db, model }: RequestContext, list: TaskList): Promise<Task[]> {
  const { link, ...parameters } = list
  const texts = columnTexts({
    ...parameters,
    workspace: model.workspace.id,
    object: link?.objectId,
    record: link?.recordId,
    length: list.limit + list.offset,
  })
  // A record has few tasks, so one plan is good for all records. The pool of queries plans other lists for their limit and offset.
  const rows = await runRead(db, ({ queries, sql }) =>
    selectRows<TaskRow>(link === undefined ? queries : sql, statementOf(list), texts),
  )
  return rows.map(parseTask)
}

/** The members of a list that decide about the text of its statement. */
type Shape = Pick<TaskList, 'sort' | 'link' | 'assignee' | 'isCompleted' | 'from' | 'before'>

const statementOf = statementsByShape(shapeOf, textOf)

function shapeOf({ sort, link, assignee, isCompleted, from, before }: Shape): string {
  const given = [link, assignee, isCompleted, from, before].map((member) => member !== undefined)
  return [sort, ...given, assignee === UNASSIGNED, isCompleted].join()
}

/** The page is of ids, so that tasks before the offset are not read. */
function textOf(param: Placeholder, list: Shape): string {
  const { order, pageOrder, keys } = ORDERS[list.sort]
  return `
    with page as materialized (
      select ${keys} from (${rangesOf(param, list)}) ranges
      order by ${order} limit ${typedParam(param, 'limit', 'bigint')} offset ${typedParam(param, 'offset', 'bigint')}
    )
    select ${TASK_COLUMNS.map((column) => `t.${column}`).join(', ')}, ${LINKS_SQL} as links
    from page join relata.tasks t on t.workspace_id = ${typedParam(param, 'workspace', 'uuid')} and t.id = page.id
    order by ${pageOrder}`
}

/** The order of an index, also with the columns of the page, and the columns that it orders by. */
interface IndexOrder {
  readonly order: string
  readonly pageOrder: string
  readonly keys: string
}

const ORDERS: Readonly<Record<TaskSort, IndexOrder>> = {
  'created_at:asc': {
    order: 'created_at, id',
    pageOrder: 'page.created_at, page.id',
    keys: 'created_at, id',
  },
  'created_at:desc': {
    order: 'created_at desc, id desc',
    pageOrder: 'page.created_at desc, page.id desc',
    keys: 'created_at, id',
  },
  'completed_at:asc': {
    order: 'completed_at nulls first, created_at, id',
    pageOrder: 'page.completed_at nulls first, page.created_at, page.id',
    keys: 'completed_at, created_at, id',
  },
  'completed_at:desc': {
    order: 'completed_at desc nulls last, created_at desc, id desc',
    pageOrder: 'page.completed_at desc nulls last, page.created_at desc, page.id desc',
    keys: 'completed_at, created_at, id',
  },
  'deadline_at:asc': {
    order: 'deadline_at, created_at, id',
    pageOrder: 'page.deadline_at, page.created_at, page.id',
    keys: 'deadline_at, created_at, id',
  },
  'deadline_at:desc': {
    order: 'deadline_at desc nulls last, created_at desc, id desc',
    pageOrder: 'page.deadline_at desc nulls last, page.created_at desc, page.id desc',
    keys: 'deadline_at, created_at, id',
  },
}

/**
 * The ranges that have the tasks of a list. A list sorted by completion reads one range. Any other list without a completion
 * filter reads two, open and completed tasks, which PostgreSQL merges.
 */
function rangesOf(param: Placeholder, list: Shape): string {
  const { sort, isCompleted } = list
  const { order, keys } = ORDERS[sort]
  const { controlTable, id } = sourceOf(list)
  const range = (condition: string) => `
    select ${keys.replace(/\bid$/, id)} from ${controlTable}
    where ${[`workspace_id = ${typedParam(param, 'workspace', 'uuid')}`, ...conditionsOf(param, list), condition].filter(Boolean).join(' and ')}
    order by ${order} limit ${typedParam(param, 'length', 'bigint')}`
  if (sort.startsWith('completed_at')) {
    if (isCompleted === undefined) return range('')
    return range(isCompleted ? 'completed_at is not null' : 'completed_at is null')
  }
  if (isCompleted !== undefined) return range(`is_completed = ${isCompleted}`)
  return `(${range('is_completed = false')}) union all (${range('is_completed = true')})`
}

/** The table that has the tasks of a list together, and the id of a task in it. */
function sourceOf({ link, assignee }: Shape) {
  if (link !== undefined) return { controlTable: 'relata.task_links', id: 'task_id as id' }
  if (assignee !== undefined) return { controlTable: 'relata.task_assignees', id: 'task_id as id' }
  return { controlTable: 'relata.tasks', id: 'id' }
}

function conditionsOf(param: Placeholder, { link, assignee, from, before }: Shape): string[] {
  const conditions: string[] = []
  const of = (name: string, type: string) => typedParam(param, name, type)
  if (link !== undefined) conditions.push(`object_id = ${of('object', 'uuid')}`, `record_id = ${of('record', 'uuid')}`)
  if (assignee !== undefined && link === undefined) conditions.push(`assignee = ${of('assignee', 'int')}`)
  // The index of the links of a record has no assignees; a record has few tasks.
  else if (assignee === UNASSIGNED) conditions.push(`assignees = '{}'`)
  else if (assignee !== undefined) conditions.push(`assignees @> array[${of('assignee', 'int')}]`)
  if (from !== undefined) conditions.push(`deadline_at >= ${of('from', 'timestamptz')}`)
  if (before !== undefined) conditions.push(`deadline_at < ${of('before', 'timestamptz')}`)
  return conditions
}
