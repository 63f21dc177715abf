/**
 * The statements of lists of tasks. Each list reads one range of one index, in the order of the index, or merges two such
 * ranges: that of open and that of completed tasks. See docs/reference/tasks.md (Lists of tasks).
 *
 * | filter                | indexes of the migration 0061                                |
 * | --------------------- | ------------------------------------------------------------ |
 * | a link                | `task_links_*`, where an assignee is a condition on the rows |
 * | an assignee           | `task_assignees_*`                                           |
 * | neither               | `tasks_*`                                                    |
 *
 * The sort chooses among `*_created`, `*_completed`, `*_deadline` and `*_deadline_desc`.
 */

import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../../../db/connect'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import { UNASSIGNED } from './assignees'
import type { TaskSort } from './schemas'
import { LINKS_SQL, parseTask, TASK_COLUMNS, type TaskRow } from './store'
import type { Task, TaskLink } from './task'

export interface TaskList {
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

export async function listTaskRows(db: Sql, workspaceId: string, list: TaskList): Promise<Task[]> {
  const { order, pageOrder, keys } = ORDERS[list.sort]
  const columns = sql.raw(TASK_COLUMNS.map((column) => `t.${column}`).join(', '))
  // The page is of ids, so that tasks before the offset are not read.
  const { rows } = await sql<TaskRow>`
    with page as materialized (
      select ${sql.raw(keys)} from (${rangesOf(workspaceId, list)}) ranges
      order by ${sql.raw(order)} limit ${list.limit} offset ${list.offset}
    )
    select ${columns}, ${sql.raw(LINKS_SQL)} as links
    from page join relata.tasks t on t.workspace_id = ${workspaceId} and t.id = page.id
    order by ${sql.raw(pageOrder)}`.execute(controlQueriesIn(db))
  return rows.map(parseTask)
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
function rangesOf(workspaceId: string, list: TaskList): RawBuilder<unknown> {
  const { sort, isCompleted } = list
  const { order, keys } = ORDERS[sort]
  const { table, id } = sourceOf(list)
  const range = (condition: string) => sql`
    select ${sql.raw(keys.replace(/\bid$/, id))} from ${sql.raw(table)}
    where workspace_id = ${workspaceId} ${conditionsOf(list)} ${sql.raw(condition)}
    order by ${sql.raw(order)} limit ${list.limit + list.offset}`
  if (sort.startsWith('completed_at')) {
    if (isCompleted === undefined) return range('')
    return range(isCompleted ? 'and completed_at is not null' : 'and completed_at is null')
  }
  if (isCompleted !== undefined) return range(`and is_completed = ${isCompleted}`)
  return sql`(${range('and is_completed = false')}) union all (${range('and is_completed = true')})`
}

/** The table that has the tasks of a list together, and the id of a task in it. */
function sourceOf({ link, assignee }: TaskList) {
  if (link !== undefined) return { table: 'relata.task_links', id: 'task_id as id' }
  if (assignee !== undefined) return { table: 'relata.task_assignees', id: 'task_id as id' }
  return { table: 'relata.tasks', id: 'id' }
}

function conditionsOf({ link, assignee, from, before }: TaskList): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = []
  if (link !== undefined) conditions.push(sql`and object_id = ${link.objectId} and record_id = ${link.recordId}`)
  if (assignee !== undefined)
    conditions.push(link === undefined ? sql`and assignee = ${assignee}` : hasAssignee(assignee))
  if (from !== undefined) conditions.push(sql`and deadline_at >= ${from}`)
  if (before !== undefined) conditions.push(sql`and deadline_at < ${before}`)
  return sql.join(conditions, sql` `)
}

/** For the links of one record. Their index has no assignees; a record has few tasks. */
const hasAssignee = (assignee: number): RawBuilder<unknown> =>
  assignee === UNASSIGNED ? sql`and assignees = '{}'` : sql`and assignees @> array[${assignee}::int]`
