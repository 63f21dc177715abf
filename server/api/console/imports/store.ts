/** The table of imports. Members see their own imports, and admins see all of the workspace. */

import type { Sql, Transaction } from '#db/connect'
import { importNotFound } from '#base/errors/imports'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { ImportColumn, ImportState, PlanBody } from './schemas'

export interface ImportKey {
  readonly workspaceId: string
  readonly id: string
}

export interface ImportRow {
  id: string
  object_id: string
  created_by: string
  file_name: string
  file_size: string
  delimiter: string | null
  /** JSON, like `plan` and `counts`. */
  columns: string | null
  state: ImportState
  plan: string | null
  counts: string | null
  bytes_read: string
  problems: number
  failure: string | null
  created_at: string
  started_at: string | null
  ended_at: string | null
  undo_job_id: string | null
  /** Whether all that it wrote was stored, so that it can be undone. */
}

const COLUMNS = [
  'id',
  'object_id',
  'created_by',
  'file_name',
  'file_size',
  'delimiter',
  'columns',
  'state',
  'plan',
  'counts',
  'bytes_read',
  'problems',
  'failure',
  'created_at',
  'started_at',
  'ended_at',
  'undo_job_id',
] as const

const MAX_LISTED = 20

interface NewImport extends ImportKey {
  readonly objectId: string
  readonly createdBy: string
  readonly fileName: string
  readonly now: Micros
}

export async function insertImport(sql: Sql, given: NewImport): Promise<void> {
  await sql`
    insert into relata.imports (workspace_id, id, object_id, created_by, file_name, state, created_at)
    values (${given.workspaceId}, ${given.id}, ${given.objectId}, ${given.createdBy}, ${given.fileName}, 'uploading',
      ${timestampFromMicros(given.now)})`
}

/** Marks the file of an import as complete. */
export async function markUploaded(
  sql: Sql,
  { workspaceId, id }: ImportKey,
  file: { readonly size: number; readonly delimiter: string; readonly columns: readonly ImportColumn[] },
): Promise<void> {
  await sql`
    update relata.imports set state = 'ready', file_size = ${file.size}, delimiter = ${file.delimiter},
      columns = ${JSON.stringify(file.columns)}::text::jsonb
    where workspace_id = ${workspaceId} and id = ${id}`
}

/** The newest first, without imports whose file is still uploading. */
export function listImports(sql: Sql, member: ConsoleMember, objectId: string): Promise<ImportRow[]> {
  return sql<ImportRow[]>`
    select ${sql(COLUMNS)} from relata.imports
    where workspace_id = ${member.workspaceId} and object_id = ${objectId} and state <> 'uploading' and ${visibleTo(sql, member)}
    order by created_at desc, id desc limit ${MAX_LISTED}`
}

/** Throws 404 for an import of another workspace or, unless the member is an admin, of another member. */
export async function getImport(sql: Sql | Transaction, member: ConsoleMember, id: string): Promise<ImportRow> {
  const [row] = await sql<[ImportRow?]>`
    select ${sql(COLUMNS)} from relata.imports
    where workspace_id = ${member.workspaceId} and id = ${id} and state <> 'uploading' and ${visibleTo(sql, member)}`
  if (row === undefined) throw importNotFound(id)
  return row
}

const visibleTo = (sql: Sql | Transaction, { memberId, accessLevel }: ConsoleMember) =>
  accessLevel === 'admin' ? sql`true` : sql`created_by = ${memberId}`

/** Queues the import, so that any process may run it. Returns false when it was started or deleted in the meantime. */
export async function queueImport(sql: Sql, { workspaceId, id }: ImportKey, plan: PlanBody): Promise<boolean> {
  const started = await sql`
    update relata.imports set state = 'waiting', due_at = created_at, plan = ${JSON.stringify(plan)}::text::jsonb
    where workspace_id = ${workspaceId} and id = ${id} and state = 'ready' returning id`
  return started.length > 0
}

/** Ends an import that waits and deletes its file. An import that runs stops at the end of its batch. */
export async function cancelImportRow(sql: Sql, { workspaceId, id }: ImportKey, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await sql`
    with cancelled as (
      update relata.imports set is_cancelled = true,
        state = case state when 'waiting' then 'cancelled' else state end,
        ended_at = case state when 'waiting' then ${at}::timestamptz else ended_at end,
        due_at = case state when 'waiting' then null else due_at end
      where workspace_id = ${workspaceId} and id = ${id} and state in ('waiting', 'running')
      returning workspace_id, id, state)
    delete from relata.import_pieces p using cancelled
    where cancelled.state = 'cancelled' and p.workspace_id = cancelled.workspace_id and p.import_id = cancelled.id`
}

/**
 * Stores the job that undoes the import. Returns false when another one runs or has undone everything. One that was cancelled, or that
 * could not undo some records, may be followed by another.
 */
export async function beginUndo(sql: Transaction, { workspaceId, id }: ImportKey, jobId: string): Promise<boolean> {
  const begun = await sql`
    update relata.imports i set undo_job_id = ${jobId}
    where workspace_id = ${workspaceId} and id = ${id} and (undo_job_id is null or exists (
      select from relata.jobs j where j.workspace_id = i.workspace_id and j.id = i.undo_job_id
        and j.ended_at is not null and (j.status <> 'completed' or j.failed > 0)))
    returning id`
  return begun.length > 0
}

/** Deletes the import with its file and its problems. Returns false while it waits or runs. */
export async function deleteImport(sql: Sql, { workspaceId, id }: ImportKey): Promise<boolean> {
  const deleted = await sql`
    delete from relata.imports
    where workspace_id = ${workspaceId} and id = ${id} and state not in ('waiting', 'running') returning id`
  return deleted.length > 0
}

/** Imports that were never started or ended long ago. */
export async function findOldImports(
  sql: Sql,
  before: { readonly unstarted: Micros; readonly ended: Micros },
  limit: number,
): Promise<ImportKey[]> {
  const rows = await sql<{ workspace_id: string; id: string }[]>`
    select workspace_id, id from relata.imports
    where state in ('uploading', 'ready') and created_at < ${timestampFromMicros(before.unstarted)}
      or ended_at < ${timestampFromMicros(before.ended)} limit ${limit}`
  return rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id }))
}
