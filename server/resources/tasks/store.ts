/** The rows of tasks. `list-statement.ts` has the statements of lists. */

import { type RawBuilder, sql } from 'kysely'
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
  // The lock comes first: a statement that waits for the lock returns the links as they were when it began.
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

/** One statement, so that a creation takes few round trips. */
export async function insertTask(tx: Transaction, workspaceId: string, task: Task, stamp: TaskStamp): Promise<void> {
  const { id, content, created_at, created_by } = task
  const state = stateOf(task)
  await sql`
    with t as (
      insert into relata.tasks (workspace_id, id, content, ${state.columns}, created_at, created_by)
      values (${workspaceId}, ${id}, ${content}, ${state.values}, ${created_at}, ${created_by}) returning *
    ), links as (${saveLinks(task, stamp)}), assignees as (${SAVE_ASSIGNEES})
    select 1`.execute(controlQueriesIn(tx))
}

/** Links that stay keep the time and the actor of their linking. */
export async function updateTask(tx: Transaction, workspaceId: string, task: Task, stamp: TaskStamp): Promise<void> {
  const state = stateOf(task)
  await sql`
    with t as (
      update relata.tasks set content = ${task.content}, version = ${task.version}, (${state.columns}) = row(${state.values})
      where workspace_id = ${workspaceId} and id = ${task.id} returning *
    ), ended_links as (
      delete from relata.task_links l using t where l.workspace_id = t.workspace_id and l.task_id = t.id
        and l.record_id <> all(${recordIds(task.links)}::uuid[])
    ), ended_assignees as (
      delete from relata.task_assignees a using t where a.workspace_id = t.workspace_id and a.task_id = t.id
        and a.assignee <> all(${ASSIGNEES})
    ), links as (${saveLinks(task, stamp)}), assignees as (${SAVE_ASSIGNEES})
    select 1`.execute(controlQueriesIn(tx))
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

/** Inserts or changes the links of the task `t`. Links that exist keep the time and the actor of their linking. */
function saveLinks({ links }: Task, { now, actor }: TaskStamp): RawBuilder<unknown> {
  const objects = renderArray(links.map(({ objectId }) => objectId))
  return sql`
    insert into relata.task_links (workspace_id, task_id, object_id, record_id, position, linked_at, linked_by,
      is_completed, completed_at, deadline_at, assignees, created_at)
    select t.workspace_id, t.id, l.object_id, l.record_id, l.position, ${timestampFromMicros(now)}::timestamptz, ${actor}::int,
      t.is_completed, t.completed_at, t.deadline_at, t.assignees, t.created_at
    from t, unnest(${objects}::uuid[], ${recordIds(links)}::uuid[]) with ordinality as l(object_id, record_id, position)
    on conflict (workspace_id, task_id, record_id) do update set position = excluded.position,
      is_completed = excluded.is_completed, completed_at = excluded.completed_at, deadline_at = excluded.deadline_at,
      assignees = excluded.assignees`
}

/** SQL of the rows that the task `t` has in `task_assignees`. */
const ASSIGNEES = sql.raw(`(case when t.assignees = '{}' then array[${UNASSIGNED}] else t.assignees end)`)

/** Inserts or changes the assignees of the task `t`. */
const SAVE_ASSIGNEES = sql`
  insert into relata.task_assignees (workspace_id, task_id, assignee, is_completed, completed_at, deadline_at, created_at)
  select t.workspace_id, t.id, a.assignee, t.is_completed, t.completed_at, t.deadline_at, t.created_at
  from t, unnest(${ASSIGNEES}) as a(assignee)
  on conflict (workspace_id, task_id, assignee) do update set is_completed = excluded.is_completed,
    completed_at = excluded.completed_at, deadline_at = excluded.deadline_at`

/** The columns that an update can change, beside the content. */
const stateOf = ({ deadline_at, deadline_ns, completed_at, completed_by, assignees }: Task) => ({
  columns: sql.raw('deadline_at, deadline_ns, is_completed, completed_at, completed_by, assignees'),
  values: sql`${deadline_at}::timestamptz, ${deadline_ns}::smallint, ${completed_at !== null}::text::boolean,
    ${completed_at}::timestamptz, ${completed_by}::int, ${renderArray(assignees)}::int[]`,
})

const recordIds = (links: readonly TaskLink[]): string => renderArray(links.map(({ recordId }) => recordId))
