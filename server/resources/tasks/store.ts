/** The rows of tasks. `list-statement.ts` has the statements of lists. */

import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '../../../db/connect'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros } from '../../timing/clock'
import { UNASSIGNED } from './assignees'
import type { Task, TaskLink } from './task'

/** A task as PostgreSQL returns it. */
export interface TaskRow extends Omit<Task, 'assignees' | 'links'> {
  readonly assignees: readonly string[]
  /** JSON: pairs of the ids of an object and a record. */
  readonly links: string
}

export const TASK_COLUMNS = [
  'id',
  'content',
  'deadline_at',
  'deadline_ns',
  'completed_at',
  'completed_by',
  'assignees',
  'created_at',
  'created_by',
  'version',
] as const

/** SQL of the links of the task `t`. */
export const LINKS_SQL = `coalesce((select json_agg(json_build_array(l.object_id, l.record_id) order by l.position)
  from relata.task_links l where l.workspace_id = t.workspace_id and l.task_id = t.id), '[]')`

export const parseTask = ({ assignees, links, ...row }: TaskRow): Task => ({
  ...row,
  assignees: assignees.map(Number),
  links: (JSON.parse(links) as [string, string][]).map(([objectId, recordId]) => ({ objectId, recordId })), // as LINKS_SQL makes it
})

/** With `lock`, no other transaction changes the task until this one ends. */
export async function findTask(
  db: Sql | Transaction,
  workspaceId: string,
  id: string,
  lock: 'lock' | 'no lock' = 'no lock',
): Promise<Task | undefined> {
  // Of two clauses, the lock must come first: the links are read after the lock is taken.
  if (lock === 'lock') await lockTask(db, workspaceId, id)
  const row = await controlQueriesIn(db)
    .selectFrom('relata.tasks as t')
    .select(TASK_COLUMNS)
    .select(sql<string>`${sql.raw(LINKS_SQL)}`.as('links'))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && parseTask(row)
}

const lockTask = (db: Sql | Transaction, workspaceId: string, id: string) =>
  controlQueriesIn(db)
    .selectFrom('relata.tasks')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute()

/** When and by whom a task is written. */
export interface TaskStamp {
  readonly now: Micros
  readonly actor: number
}

export async function insertTask(tx: Transaction, workspaceId: string, task: Task, stamp: TaskStamp): Promise<void> {
  const { id, content, created_at, created_by } = task
  await controlQueriesIn(tx)
    .insertInto('relata.tasks')
    .values({ workspace_id: workspaceId, id, content, created_at, created_by, ...stateOf(task) })
    .execute()
  await saveLinks(tx, workspaceId, task, stamp)
  await insertAssignees(tx, workspaceId, task)
}

/** Links that stay keep the time and the actor of their linking. */
export async function updateTask(tx: Transaction, workspaceId: string, task: Task, stamp: TaskStamp): Promise<void> {
  const control = controlQueriesIn(tx)
  await control
    .updateTable('relata.tasks')
    .set({ content: task.content, version: task.version, ...stateOf(task) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', task.id)
    .execute()
  await control
    .deleteFrom('relata.task_links')
    .where('workspace_id', '=', workspaceId)
    .where('task_id', '=', task.id)
    .where(sql<boolean>`record_id <> all(${recordIds(task.links)}::uuid[])`)
    .execute()
  await control
    .deleteFrom('relata.task_assignees')
    .where('workspace_id', '=', workspaceId)
    .where('task_id', '=', task.id)
    .execute()
  await saveLinks(tx, workspaceId, task, stamp)
  await insertAssignees(tx, workspaceId, task)
}

/** Returns false when the task does not exist. */
export async function deleteTaskRow(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(tx)
    .deleteFrom('relata.tasks')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Takes the state from the task's row. Links that exist keep the time and the actor of their linking. */
async function saveLinks(
  tx: Transaction,
  workspaceId: string,
  { id, links }: Task,
  { now, actor }: TaskStamp,
): Promise<void> {
  if (links.length === 0) return
  const objects = renderArray(links.map(({ objectId }) => objectId))
  await sql`
    insert into relata.task_links (workspace_id, task_id, object_id, record_id, position, linked_at, linked_by,
      is_completed, completed_at, deadline_at, assignees, created_at)
    select t.workspace_id, t.id, l.object_id, l.record_id, l.position, ${timestampFromMicros(now)}, ${actor},
      t.is_completed, t.completed_at, t.deadline_at, t.assignees, t.created_at
    from relata.tasks t, unnest(${objects}::uuid[], ${recordIds(links)}::uuid[]) with ordinality
      as l(object_id, record_id, position)
    where t.workspace_id = ${workspaceId} and t.id = ${id}
    on conflict (workspace_id, task_id, record_id) do update set position = excluded.position,
      is_completed = excluded.is_completed, completed_at = excluded.completed_at, deadline_at = excluded.deadline_at,
      assignees = excluded.assignees`.execute(controlQueriesIn(tx))
}

/** Takes the state from the task's row. */
async function insertAssignees(tx: Transaction, workspaceId: string, { id }: Task): Promise<void> {
  await sql`
    insert into relata.task_assignees (workspace_id, task_id, assignee, is_completed, completed_at, deadline_at, created_at)
    select t.workspace_id, t.id, a.assignee, t.is_completed, t.completed_at, t.deadline_at, t.created_at
    from relata.tasks t, unnest(case when t.assignees = '{}' then array[${UNASSIGNED}::int] else t.assignees end)
      as a(assignee)
    where t.workspace_id = ${workspaceId} and t.id = ${id}`.execute(controlQueriesIn(tx))
}

/** The columns that an update can change, beside the content. */
const stateOf = ({ deadline_at, deadline_ns, completed_at, completed_by, assignees }: Task) => ({
  deadline_at,
  deadline_ns,
  is_completed: completed_at !== null,
  completed_at,
  completed_by,
  assignees: sql<string[]>`${renderArray(assignees)}::int[]`,
})

const recordIds = (links: readonly TaskLink[]): string => renderArray(links.map(({ recordId }) => recordId))
