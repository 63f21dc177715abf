/**
 * Moves the attachments of deleted records to the trash and back. The trash is in the workspace's schema, which no statement
 * over control tables names, so the rows pass through this process as JSON. See docs/decisions/trash-and-merges.md.
 */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { RAISE_VERSIONS_STEPS } from './attachments'

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
  'email_links',
  'record_followers',
  'record_pictures',
] as const
type AttachmentTable = (typeof ATTACHMENT_TABLES)[number]

/** Rows of one table, as the text of a JSON array. */
export interface AttachmentRows {
  readonly table: AttachmentTable
  readonly rows: string
}

interface RecordAttachments extends AttachmentRows {
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
    ${deleteRows('email_links')},
    ${deleteRows('record_followers')},
    ${deleteRows('record_pictures')},
    trashed_pictures as (
      insert into relata.trashed_files (workspace_id, file_id, object_id, record_id, blob_digest)
      select (content).workspace_id, of_record, (content).object_id, of_record, (content).blob_digest
      from record_pictures where (content).blob_digest is not null),
    expiry as (
      insert into relata.trash_expiries (workspace_id, due_at)
      values ($1, date_trunc('hour', $3::timestamptz) + interval '1 hour') on conflict do nothing),
    ${RAISE_VERSIONS_STEPS}
  ${['notes', 'files', 'removed_entries', 'comments', 'notifications', 'threads', 'email_links', 'record_followers', 'record_pictures'].map(rowsOf).join(' union all ')}
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

/** Deletes the references of records that are no longer in the trash to the blobs of their files and pictures. */
export async function releaseTrashedFiles(
  tx: Transaction,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<void> {
  const text = `delete from relata.trashed_files where ${OF_RECORDS}`
  await tx.unsafe(text, [workspaceId, renderArray(recordIds)], { prepare: true })
}

// Inserts the attachments of a record that is restored from the trash. See docs/reference/trash.md.

/**
 * `$1` is the workspace, `$2` the rows, `$3` the ids of the lists that exist. What the rows refer to may have been deleted
 * meanwhile: a note then loses its meeting, and links, threads of entries, removed entries and followers are left out.
 */
const INSERTS: Readonly<Record<AttachmentTable, string>> = {
  notes: `
    insert into relata.notes
    select n.* from json_array_elements($2::text::json) as e,
      jsonb_populate_record(null::relata.notes, case when exists (
          select from relata.meetings m where m.workspace_id = $1 and m.id = (e->>'meeting_id')::uuid)
        then e::jsonb else e::jsonb || '{"meeting_id": null}' end) as n`,
  files: `
    insert into relata.files select r.* from json_populate_recordset(null::relata.files, $2::text::json) as r
    where r.workspace_id = $1`,
  threads: `
    insert into relata.threads select r.* from json_populate_recordset(null::relata.threads, $2::text::json) as r
    where r.workspace_id = $1 and (r.list_id is null or r.list_id = any($3::uuid[]))`,
  comments: `
    insert into relata.comments select r.* from json_populate_recordset(null::relata.comments, $2::text::json) as r
    where r.workspace_id = $1 and (r.list_id is null or r.list_id = any($3::uuid[]))`,
  notifications: `
    insert into relata.notifications select r.* from json_populate_recordset(null::relata.notifications, $2::text::json) as r
    join relata.comments c on c.workspace_id = r.workspace_id and c.id = r.comment_id where r.workspace_id = $1`,
  removed_entries: `
    insert into relata.removed_entries select r.* from json_populate_recordset(null::relata.removed_entries, $2::text::json) as r
    where r.workspace_id = $1 and r.list_id = any($3::uuid[])`,
  task_links: `
    insert into relata.task_links (workspace_id, task_id, object_id, record_id, position, linked_at, linked_by, is_completed,
      completed_at, deadline_at, assignees, created_at)
    select t.workspace_id, t.id, r.object_id, r.record_id, r.position, r.linked_at, r.linked_by, t.is_completed,
      t.completed_at, t.deadline_at, t.assignees, t.created_at
    from json_populate_recordset(null::relata.task_links, $2::text::json) as r
    join relata.tasks t on t.workspace_id = r.workspace_id and t.id = r.task_id where r.workspace_id = $1
    on conflict do nothing`,
  meeting_links: `
    insert into relata.meeting_links (workspace_id, meeting_id, object_id, record_id, position, linked_at, linked_by, is_given,
      is_all_day, duration_class, starts_at, ends_at)
    select m.workspace_id, m.id, r.object_id, r.record_id, r.position, r.linked_at, r.linked_by, r.is_given,
      m.is_all_day, m.duration_class, m.starts_at, m.ends_at
    from json_populate_recordset(null::relata.meeting_links, $2::text::json) as r
    join relata.meetings m on m.workspace_id = r.workspace_id and m.id = r.meeting_id where r.workspace_id = $1
    on conflict do nothing`,
  email_links: `
    insert into relata.email_links select r.* from json_populate_recordset(null::relata.email_links, $2::text::json) as r
    join relata.connected_accounts a on a.workspace_id = r.workspace_id and a.id = r.account_id where r.workspace_id = $1
    on conflict do nothing`,
  record_followers: `
    insert into relata.record_followers select r.* from json_populate_recordset(null::relata.record_followers, $2::text::json) as r
    join relata.workspace_members m on m.workspace_id = r.workspace_id and m.id = r.member_id where r.workspace_id = $1
    on conflict do nothing`,
  // A process that fetched the picture has lost its lease.
  record_pictures: `
    insert into relata.record_pictures (workspace_id, object_id, record_id, blob_digest, sources_hash, expires_at, due_at)
    select r.workspace_id, r.object_id, r.record_id, r.blob_digest, r.sources_hash, r.expires_at, r.due_at
    from json_populate_recordset(null::relata.record_pictures, $2::text::json) as r where r.workspace_id = $1
    on conflict do nothing`,
}

/** Locks what the rows will refer to. The tasks and meetings get a link, so their versions are raised. */
const LOCKS: Partial<Record<AttachmentTable, string>> = {
  notes: `
    select 1 from relata.meetings where workspace_id = $1 and id in (
      select (e->>'meeting_id')::uuid from json_array_elements($2::text::json) as e) order by id for key share`,
  task_links: `
    update relata.tasks set version = version + 1 where workspace_id = $1 and id in (
      select (e->>'task_id')::uuid from json_array_elements($2::text::json) as e)`,
  meeting_links: `
    update relata.meetings set version = version + 1 where workspace_id = $1 and id in (
      select (e->>'meeting_id')::uuid from json_array_elements($2::text::json) as e)`,
}

/** `lists` are the ids of the lists that exist. */
export async function restoreAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  { recordId, attachments, lists }: RestoredAttachments,
): Promise<void> {
  for (const table of ATTACHMENT_TABLES) {
    for (const { rows } of attachments.filter((each) => each.table === table)) {
      const lock = LOCKS[table]
      if (lock !== undefined) await tx.unsafe(lock, [workspace.id, rows], { prepare: true })
      const insert = INSERTS[table]
      const parameters = insert.includes('$3') ? [workspace.id, rows, renderArray(lists)] : [workspace.id, rows]
      await tx.unsafe(insert, parameters, { prepare: true })
    }
  }
  if (attachments.some(({ table }) => table === 'files' || table === 'record_pictures'))
    await releaseTrashedFiles(tx, workspace.id, [recordId])
}

interface RestoredAttachments {
  readonly recordId: string
  readonly attachments: readonly AttachmentRows[]
  readonly lists: readonly string[]
}
