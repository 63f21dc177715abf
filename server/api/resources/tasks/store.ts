/** The rows of tasks, and the statements that write them. `read.ts` has those of lists. */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { type Task, taskEvent, UNASSIGNED } from './task'
import type { RequestContext } from '#context'
import { eventOriginOf } from '#engine/outbox/outbox'
import { notificationsOfAssignment, notificationSteps, notificationTexts } from '#crm/inbox/notify'
import type { LastStatement } from '#engine/storage/short-transaction'
import {
  columnTexts,
  compileStatement,
  type ParameterTexts,
  type Placeholder,
  runStorageStatement,
  typedParam,
} from '#engine/storage/statement'
import { outboxStep, outboxTexts } from '#engine/storage/statements/outbox-step'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

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
    .where(equal({ workspace_id: workspaceId, id }))
    .executeTakeFirst()
  return row && parseTask(row)
}

const lockTask = (db: Sql | Transaction, workspaceId: string, id: string) =>
  controlQueriesIn(db)
    .selectFrom('relata.tasks')
    .select('id')
    .where(equal({ workspace_id: workspaceId, id }))
    .forUpdate()
    .execute()

/** Returns false when the task does not exist. */
export async function deleteTaskRow(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(tx)
    .deleteFrom('relata.tasks')
    .where(equal({ workspace_id: workspaceId, id }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

// The statements that write a task with its links, assignees, notifications and change event. See docs/decisions/writes.md.

/** When and by whom a task is written. */
export interface TaskStamp {
  readonly now: Micros
  readonly actor: number
}

/** SQL of the rows that the task `t` has in `task_assignees`. */
const ASSIGNEES = `(case when t.assignees = '{}' then array[${UNASSIGNED}] else t.assignees end)`

/** Steps that insert or change the links and the assignees of the task `t`. Links that exist keep the time and the actor of their linking. */
const saveSteps = (param: Placeholder): string[] => [
  `links as (
    insert into relata.task_links (workspace_id, task_id, object_id, record_id, position, linked_at, linked_by,
      is_completed, completed_at, deadline_at, assignees, created_at)
    select t.workspace_id, t.id, l.object_id, l.record_id, l.position, ${typedParam(param, 'linked_at', 'timestamptz')},
      ${typedParam(param, 'linked_by', 'int')}, t.is_completed, t.completed_at, t.deadline_at, t.assignees, t.created_at
    from t, unnest(${typedParam(param, 'link_objects', 'uuid[]')}, ${typedParam(param, 'link_records', 'uuid[]')})
      with ordinality as l(object_id, record_id, position)
    on conflict (workspace_id, task_id, record_id) do update set position = excluded.position,
      is_completed = excluded.is_completed, completed_at = excluded.completed_at, deadline_at = excluded.deadline_at,
      assignees = excluded.assignees)`,
  `assignees as (
    insert into relata.task_assignees (workspace_id, task_id, assignee, is_completed, completed_at, deadline_at, created_at)
    select t.workspace_id, t.id, a.assignee, t.is_completed, t.completed_at, t.deadline_at, t.created_at
    from t, unnest(${ASSIGNEES}) as a(assignee)
    on conflict (workspace_id, task_id, assignee) do update set is_completed = excluded.is_completed,
      completed_at = excluded.completed_at, deadline_at = excluded.deadline_at)`,
]

/** The columns that an update can change, beside the content. */
const STATE_COLUMNS = 'deadline_at, deadline_ns, is_completed, completed_at, completed_by, assignees'

/** The parameters of `STATE_COLUMNS`. */
const stateParams = (param: Placeholder): string =>
  [
    typedParam(param, 'deadline_at', 'timestamptz'),
    typedParam(param, 'deadline_ns', 'smallint'),
    typedParam(param, 'is_completed', 'boolean'),
    typedParam(param, 'completed_at', 'timestamptz'),
    typedParam(param, 'completed_by', 'int'),
    typedParam(param, 'assignees', 'int[]'),
  ].join(', ')

const insertText = (param: Placeholder, steps: readonly string[]): string => `
  with t as (
    insert into relata.tasks (workspace_id, id, content, ${STATE_COLUMNS}, created_at, created_by)
    values (${typedParam(param, 'workspace', 'uuid')}, ${typedParam(param, 'id', 'uuid')}, ${typedParam(param, 'content', 'text')},
      ${stateParams(param)}, ${typedParam(param, 'created_at', 'timestamptz')}, ${typedParam(param, 'created_by', 'int')}) returning *
  ), ${[...saveSteps(param), ...steps, outboxStep(param, 't')].join(', ')}
  select 1`

const INSERT = compileStatement((param) => insertText(param, []))
const INSERT_AND_NOTIFY = compileStatement((param) => insertText(param, notificationSteps(param)))

/** Inserts a task that the context's actor creates. */
export function insertTask(context: RequestContext, task: Task, now: Micros): LastStatement<Task> {
  const { actor, model } = context
  const notifications = notificationsOfAssignment(context, { taskId: task.id, assignees: task.assignees, before: [] })
  return {
    statement: notifications.length > 0 ? INSERT_AND_NOTIFY : INSERT,
    texts: {
      ...taskTexts(model.workspace.id, task, { now, actor }),
      ...notificationTexts({ actor, at: now }, notifications),
      ...outboxTexts({ origin: eventOriginOf(context, now), events: [taskEvent('created', task.id)] }),
    },
    result: task,
  }
}

const UPDATE = compileStatement((param) => {
  const of = (name: string, type: string) => typedParam(param, name, type)
  return `
    with t as (
      update relata.tasks set content = ${of('content', 'text')}, version = ${of('version', 'int')}, (${STATE_COLUMNS}) = row(${stateParams(param)})
      where workspace_id = ${of('workspace', 'uuid')} and id = ${of('id', 'uuid')} returning *
    ), ended_links as (
      delete from relata.task_links l using t where l.workspace_id = t.workspace_id and l.task_id = t.id
        and l.record_id <> all(${of('link_records', 'uuid[]')})
    ), ended_assignees as (
      delete from relata.task_assignees a using t where a.workspace_id = t.workspace_id and a.task_id = t.id
        and a.assignee <> all(${ASSIGNEES})
    ), ${saveSteps(param).join(', ')}
    select 1`
})

/** Links that stay keep the time and the actor of their linking. */
export async function updateTaskRow(tx: Transaction, workspaceId: string, task: Task, stamp: TaskStamp): Promise<void> {
  await runStorageStatement(tx, UPDATE, taskTexts(workspaceId, task, stamp))
}

/** The parameters of the statements that write a task. */
const taskTexts = (workspaceId: string, { links, ...task }: Task, { now, actor }: TaskStamp): ParameterTexts =>
  columnTexts({
    ...task,
    workspace: workspaceId,
    is_completed: task.completed_at !== null,
    link_objects: links.map(({ objectId }) => objectId),
    link_records: links.map(({ recordId }) => recordId),
    linked_at: timestampFromMicros(now),
    linked_by: actor,
  })
