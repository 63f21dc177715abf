/**
 * Moves the attachments of a deleted record to the trash and back. The trash is in the workspace's schema, which no statement
 * over control tables names, so the rows pass through this process as JSON. Decision 0127.
 */

import { renderArray, type Transaction } from '../../db/connect'
import type { DataModel } from '../data-model/model'
import { type Micros, timestampFromMicros } from '../timing/clock'
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

const OF_RECORD = 'workspace_id = $1 and record_id = any($2::uuid[])'

/** Comments and notifications go with their threads by `on delete cascade`, so they are only selected. */
const DELETE = `
  with notes as (delete from relata.notes where workspace_id = $1 and parent_record_id = any($2::uuid[]) returning *),
    files as (delete from relata.files where ${OF_RECORD} returning *),
    trashed_files as (
      insert into relata.trashed_files (workspace_id, file_id, object_id, record_id, blob_digest)
      select workspace_id, id, object_id, record_id, blob_digest from files where blob_digest is not null),
    removed_entries as (delete from relata.removed_entries where ${OF_RECORD} returning *),
    comments as (select * from relata.comments where ${OF_RECORD}),
    notifications as (
      select n.* from comments c join relata.notifications n on n.workspace_id = $1 and n.comment_id = c.id),
    threads as (delete from relata.threads where ${OF_RECORD} returning *),
    expiry as (
      insert into relata.trash_expiries (workspace_id, due_at)
      values ($1, date_trunc('hour', $3::timestamptz) + interval '1 hour') on conflict do nothing),
    ${RAISE_VERSIONS_STEPS}
  ${['notes', 'files', 'removed_entries', 'comments', 'notifications', 'threads'].map(rowsOf).join(' union all ')}
  union all select 'links', '[]' where exists (select from raised_tasks) or exists (select from raised_meetings)`

const DELETE_LINKS = `
  with task_links as (delete from relata.task_links where ${OF_RECORD} returning *),
    meeting_links as (delete from relata.meeting_links where ${OF_RECORD} returning *)
  ${['task_links', 'meeting_links'].map(rowsOf).join(' union all ')}`

function rowsOf(step: string): string {
  return `select '${step}' as table, json_agg(s)::text as rows from ${step} s having count(*) > 0`
}

/**
 * Does what `deleteAttachments` does, and returns the rows. Blobs keep a reference until the record is deleted from the trash, which
 * the worker does after `expiresAt`.
 */
export async function trashAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  recordId: string,
  expiresAt: Micros,
): Promise<readonly AttachmentRows[]> {
  const parameters = [workspace.id, renderArray([recordId])]
  const withExpiry = [...parameters, timestampFromMicros(expiresAt)]
  const found = await tx.unsafe<{ table: AttachmentTable | 'links'; rows: string }[]>(DELETE, withExpiry, {
    prepare: true,
  })
  const deleted = found.flatMap(({ table, rows }) => (table === 'links' ? [] : [{ table, rows }]))
  if (deleted.length === found.length) return deleted
  return [...deleted, ...(await tx.unsafe<AttachmentRows[]>(DELETE_LINKS, parameters, { prepare: true }))]
}

/** Deletes the references of records that are no longer in the trash to the blobs of their files. */
export async function releaseTrashedFiles(
  tx: Transaction,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<void> {
  const text = `delete from relata.trashed_files where ${OF_RECORD}`
  await tx.unsafe(text, [workspaceId, renderArray(recordIds)], { prepare: true })
}
