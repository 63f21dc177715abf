/**
 * Moves the attachments of deleted records to the trash and back. The trash is in the workspace's schema, which no statement
 * over control tables names, so the rows pass through this process as JSON. Decision 0127.
 */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { RAISE_VERSIONS_STEPS } from './linked-versions'

/** The control tables with attachments, in an order in which their rows can be inserted. */
export const ATTACHMENT_TABLES = [
  'notes',
  'files',
  'threads',
  'comments',
  'notifications',
  'removed_entries',
  'task_links',
  'meeting_links',
] as const
export type AttachmentTable = (typeof ATTACHMENT_TABLES)[number]

/** Rows of one table, as the text of a JSON array. */
export interface AttachmentRows {
  readonly table: AttachmentTable
  readonly rows: string
}

export interface RecordAttachments extends AttachmentRows {
  readonly recordId: string
}

const OF_RECORDS = 'workspace_id = $1 and record_id = any($2::uuid[])'

/** A step of a statement that deletes the rows of a table with attachments, and has them with the ids of their records. */
const deleteRows = (table: AttachmentTable, record = 'record_id') => `
  ${table} as (
    delete from relata.${table} d where workspace_id = $1 and ${record} = any($2::uuid[]) returning d.${record} as of_record, d as content)`

/** Comments and notifications go with their threads by `on delete cascade`, so they are only selected. */
const DELETE = `
  with ${deleteRows('notes', 'parent_record_id')},
    ${deleteRows('files')},
    trashed_files as (
      insert into relata.trashed_files (workspace_id, file_id, object_id, record_id, blob_digest)
      select (content).workspace_id, (content).id, (content).object_id, of_record, (content).blob_digest
      from files where (content).blob_digest is not null),
    ${deleteRows('removed_entries')},
    comments as (select c.record_id as of_record, c as content from relata.comments c where ${OF_RECORDS}),
    notifications as (
      select c.of_record, n as content from comments c
      join relata.notifications n on n.workspace_id = $1 and n.comment_id = (c.content).id),
    ${deleteRows('threads')},
    expiry as (
      insert into relata.trash_expiries (workspace_id, due_at)
      values ($1, date_trunc('hour', $3::timestamptz) + interval '1 hour') on conflict do nothing),
    ${RAISE_VERSIONS_STEPS}
  ${['notes', 'files', 'removed_entries', 'comments', 'notifications', 'threads'].map(rowsOf).join(' union all ')}
  union all select null, 'links', '[]' where exists (select from raised_tasks) or exists (select from raised_meetings)`

const DELETE_LINKS = `
  with ${deleteRows('task_links')}, ${deleteRows('meeting_links')}
  ${['task_links', 'meeting_links'].map(rowsOf).join(' union all ')}`

function rowsOf(step: string): string {
  return `select of_record as "recordId", '${step}' as table, json_agg(content)::text as rows from ${step} group by of_record`
}

/**
 * Does what `deleteAttachments` does, and returns the rows. Blobs keep a reference until the record is deleted from the trash, which
 * the worker does after `expiresAt`.
 */
export async function trashAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  recordIds: readonly string[],
  expiresAt: Micros,
): Promise<readonly RecordAttachments[]> {
  const parameters = [workspace.id, renderArray(recordIds)]
  const withExpiry = [...parameters, timestampFromMicros(expiresAt)]
  const found = await tx.unsafe<(RecordAttachments | { table: 'links' })[]>(DELETE, withExpiry, { prepare: true })
  const deleted = found.filter((each) => each.table !== 'links')
  if (deleted.length === found.length) return deleted
  return [...deleted, ...(await tx.unsafe<RecordAttachments[]>(DELETE_LINKS, parameters, { prepare: true }))]
}

/** Deletes the references of records that are no longer in the trash to the blobs of their files. */
export async function releaseTrashedFiles(
  tx: Transaction,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<void> {
  const text = `delete from relata.trashed_files where ${OF_RECORDS}`
  await tx.unsafe(text, [workspaceId, renderArray(recordIds)], { prepare: true })
}
