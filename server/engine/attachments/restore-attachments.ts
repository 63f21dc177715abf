/** Inserts the attachments of a record that is restored from the trash. See docs/reference/trash.md. */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import {
  ATTACHMENT_TABLES,
  type AttachmentRows,
  type AttachmentTable,
  releaseTrashedFiles,
} from './trashed-attachments'

/**
 * `$1` is the workspace, `$2` the rows, `$3` the ids of the lists that exist. What the rows refer to may have been deleted
 * meanwhile: a note then loses its meeting, and links, threads of entries and removed entries are left out.
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
  if (attachments.some(({ table }) => table === 'files')) await releaseTrashedFiles(tx, workspace.id, [recordId])
}

export interface RestoredAttachments {
  readonly recordId: string
  readonly attachments: readonly AttachmentRows[]
  readonly lists: readonly string[]
}
