/** The rows of tasks. `write-statements.ts` has the statements that write them, `list-statement.ts` those of lists. */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Task } from './task'

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

/** Returns false when the task does not exist. */
export async function deleteTaskRow(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(tx)
    .deleteFrom('relata.tasks')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
