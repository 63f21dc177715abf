/** The table of imports. Members see their own imports, and admins see all of the workspace. */

import { currentTraceparent } from '#base/monitoring/trace-context'
import { controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import { sql as expression } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { importNotFound } from '#base/errors/imports'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { ServiceSettings } from '#context'
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
  await controlQueriesIn(sql)
    .insertInto('relata.imports')
    .values({
      workspace_id: given.workspaceId,
      id: given.id,
      object_id: given.objectId,
      created_by: given.createdBy,
      file_name: given.fileName,
      state: 'uploading',
      created_at: timestampFromMicros(given.now),
    })
    .execute()
}

/** Marks the file of an import as complete. */
export async function markUploaded(
  sql: Sql,
  key: ImportKey,
  file: { readonly size: number; readonly delimiter: string; readonly columns: readonly ImportColumn[] },
): Promise<void> {
  await updateImport(sql, key)
    .set({
      state: 'ready',
      file_size: String(file.size),
      delimiter: file.delimiter,
      columns: jsonb(file.columns),
    })
    .execute()
}

const updateImport = (on: Sql | Transaction, { workspaceId, id }: ImportKey) =>
  controlQueriesIn(on).updateTable('relata.imports').where('workspace_id', '=', workspaceId).where('id', '=', id)

/** The newest first, without imports whose file is still uploading. */
export const listImports = (sql: Sql, member: ConsoleMember, objectId: string): Promise<ImportRow[]> =>
  visibleTo(sql, member)
    .where('object_id', '=', objectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute()

/** Throws 404 for an import of another workspace or, unless the member is an admin, of another member. */
export async function getImport(sql: Sql | Transaction, member: ConsoleMember, id: string): Promise<ImportRow> {
  const row = await visibleTo(sql, member).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw importNotFound(id)
  return row
}

const visibleTo = (on: Sql | Transaction, { workspaceId, memberId, accessLevel }: ConsoleMember) =>
  controlQueriesIn(on)
    .selectFrom('relata.imports')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('state', '<>', 'uploading')
    .$if(accessLevel !== 'admin', (query) => query.where('created_by', '=', memberId))
    .$castTo<ImportRow>()

/** Queues the import, so that any process may run it. Returns false when it was started or deleted in the meantime. */
export async function queueImport(sql: Sql, key: ImportKey, plan: PlanBody): Promise<boolean> {
  const traceparent = currentTraceparent() ?? null
  const { numUpdatedRows } = await updateImport(sql, key)
    .set({ state: 'waiting', due_at: expression<string>`created_at`, plan: jsonb(plan), traceparent })
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends an import that waits and deletes its file. An import that runs stops at the end of its batch. */
export async function cancelImportRow(sql: Sql, key: ImportKey, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await controlQueriesIn(sql)
    .with('cancelled', () =>
      updateImport(sql, key)
        .set({
          is_cancelled: true,
          state: expression<string>`case state when 'waiting' then 'cancelled' else state end`,
          ended_at: expression<string>`case state when 'waiting' then ${at}::timestamptz else ended_at end`,
          due_at: expression<string | null>`case state when 'waiting' then null else due_at end`,
        })
        .where('state', 'in', ['waiting', 'running'])
        .returning(['workspace_id', 'id', 'state']),
    )
    .deleteFrom('relata.import_pieces as p')
    .using('cancelled')
    .where('cancelled.state', '=', 'cancelled')
    .whereRef('p.workspace_id', '=', 'cancelled.workspace_id')
    .whereRef('p.import_id', '=', 'cancelled.id')
    .execute()
}

/**
 * Stores the job that undoes the import. Returns false when another one runs or has undone everything. One that was cancelled, or that
 * could not undo some records, may be followed by another.
 */
export async function beginUndo(tx: Transaction, key: ImportKey, jobId: string): Promise<boolean> {
  const { numUpdatedRows } = await updateImport(tx, key)
    .set({ undo_job_id: jobId })
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('undo_job_id', 'is', null),
        exists(
          selectFrom('relata.jobs as j')
            .select('j.id')
            .whereRef('j.workspace_id', '=', 'relata.imports.workspace_id')
            .whereRef('j.id', '=', 'relata.imports.undo_job_id')
            .where('j.ended_at', 'is not', null)
            .where((job) => job.or([job('j.status', '<>', 'completed'), job('j.failed', '>', 0)])),
        ),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the import with its file and its problems. Returns false while it waits or runs. */
export async function deleteImport(sql: Sql, { workspaceId, id }: ImportKey): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.imports')
    .where(equal({ workspace_id: workspaceId, id }))
    .where('state', 'not in', ['waiting', 'running'])
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Imports that were never started or ended long ago. */
export async function findOldImports(
  sql: Sql,
  before: { readonly unstarted: Micros; readonly ended: Micros },
  limit: number,
): Promise<ImportKey[]> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.imports')
    .select(['workspace_id', 'id'])
    .where(({ eb, and, or }) =>
      or([
        and([eb('state', 'in', ['uploading', 'ready']), eb('created_at', '<', timestampFromMicros(before.unstarted))]),
        eb('ended_at', '<', timestampFromMicros(before.ended)),
      ]),
    )
    .limit(limit)
    .execute()
  return rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id }))
}

const DAY_MICROS = 86_400_000_000

/** As long as the trash keeps what was deleted at the end of the import. Undefined if it cannot be undone. */
export function undoableUntil(
  { started_at, ended_at }: Pick<ImportRow, 'started_at' | 'ended_at'>,
  { trashDays }: Pick<ServiceSettings, 'trashDays'>,
): Micros | undefined {
  if (started_at === null || ended_at === null || trashDays === 0) return undefined
  return microsFromPostgres(ended_at) + trashDays * DAY_MICROS
}
