/** Stores which attachments a merge moves from an original, and moves them back when the original is restored. */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type AttachmentRows, restoreAttachments } from './trashed-attachments'

/** The part with the ids of what was moved. */
export const MOVED_ATTACHMENTS = 'moved_attachments'

/** Ids by table; whole rows of links and followers, of which the merge may delete some. */
interface Moved {
  readonly notes: readonly string[]
  readonly files: readonly string[]
  readonly threads: readonly string[]
  readonly removed_entries: readonly string[]
  readonly task_links: readonly { readonly task_id: string }[]
  readonly meeting_links: readonly { readonly meeting_id: string }[]
  /** Absent in merges of a version without these links. */
  readonly email_links?: readonly { readonly account_id: string; readonly message_key: string }[]
  /** Absent in merges of a version without followers. */
  readonly record_followers?: readonly { readonly member_id: string }[]
  /** The uploaded picture. Absent in merges of a version without pictures. */
  readonly record_pictures?: readonly object[]
}

const idsOf = (table: string, column: string, id = 'id') =>
  `(select coalesce(json_agg(t.${id}), '[]') from relata.${table} t where t.workspace_id = $1 and t.${column} = $2)`
const rowsOf = (table: string) =>
  `(select coalesce(json_agg(t), '[]') from relata.${table} t where t.workspace_id = $1 and t.record_id = $2)`

/** The trash refers to the blob of the picture, which the merged record may lose. */
const READ = `
  with expiry as (
    insert into relata.trash_expiries (workspace_id, due_at)
    values ($1, date_trunc('hour', $3::timestamptz) + interval '1 hour') on conflict do nothing),
  trashed_picture as (
    insert into relata.trashed_files (workspace_id, file_id, object_id, record_id, blob_digest)
    select workspace_id, record_id, object_id, record_id, blob_digest from relata.record_pictures
    where workspace_id = $1 and record_id = $2 and sources_hash is null)
  select json_build_object(
    'notes', ${idsOf('notes', 'parent_record_id')}, 'files', ${idsOf('files', 'record_id')},
    'threads', ${idsOf('threads', 'record_id')}, 'removed_entries', ${idsOf('removed_entries', 'record_id', 'entry_id')},
    'task_links', ${rowsOf('task_links')}, 'meeting_links', ${rowsOf('meeting_links')},
    'email_links', ${rowsOf('email_links')}, 'record_followers', ${rowsOf('record_followers')},
    'record_pictures', (select coalesce(json_agg(t), '[]') from relata.record_pictures t
      where t.workspace_id = $1 and t.record_id = $2 and t.sources_hash is null))::text as moved`

/** The attachments of an original before the merge, as JSON. */
export async function readMoved(
  tx: Transaction,
  { workspace }: DataModel,
  recordId: string,
  expiresAt: Micros,
): Promise<string> {
  const parameters = [workspace.id, recordId, timestampFromMicros(expiresAt)]
  const [row] = await tx.unsafe<{ moved: string }[]>(READ, parameters, { prepare: true })
  return row?.moved ?? '{}'
}

/** `$2` is the original, `$3` the merged record, `$4` ids. */
const MOVE_BACK = {
  notes: `update relata.notes set parent_record_id = $2
    where workspace_id = $1 and parent_record_id = $3 and id = any($4::uuid[])`,
  files: `update relata.files set record_id = $2 where workspace_id = $1 and record_id = $3 and id = any($4::uuid[])`,
  threads: `with moved as (
      update relata.threads set record_id = $2 where workspace_id = $1 and record_id = $3 and id = any($4::uuid[]) returning id)
    update relata.comments set record_id = $2 where workspace_id = $1 and record_id = $3 and thread_id in (select id from moved)`,
  removed_entries: `update relata.removed_entries set record_id = $2
    where workspace_id = $1 and record_id = $3 and entry_id = any($4::uuid[])`,
} as const

/** Deletes links, followers and the picture of the merged record that were those of the original: the merge keeps their times. */
const END_LINKS = {
  task_links: `delete from relata.task_links l using json_populate_recordset(null::relata.task_links, $3::text::json) r
    where l.workspace_id = $1 and l.record_id = $2 and l.task_id = r.task_id and l.linked_at = r.linked_at`,
  meeting_links: `delete from relata.meeting_links l using json_populate_recordset(null::relata.meeting_links, $3::text::json) r
    where l.workspace_id = $1 and l.record_id = $2 and l.meeting_id = r.meeting_id and l.linked_at = r.linked_at`,
  email_links: `delete from relata.email_links l using json_populate_recordset(null::relata.email_links, $3::text::json) r
    where l.workspace_id = $1 and l.record_id = $2 and l.account_id = r.account_id and l.message_key = r.message_key
      and l.linked_at = r.linked_at`,
  record_pictures: `delete from relata.record_pictures l using json_populate_recordset(null::relata.record_pictures, $3::text::json) r
    where l.workspace_id = $1 and l.record_id = $2 and l.sources_hash is null and l.blob_digest = r.blob_digest`,
  record_followers: `delete from relata.record_followers l using json_populate_recordset(null::relata.record_followers, $3::text::json) r
    where l.workspace_id = $1 and l.record_id = $2 and l.member_id = r.member_id and l.followed_at = r.followed_at`,
} as const

/** What the merge moved from the original, and from the other one if that is in the trash, as JSON. */
export interface MovedTexts {
  readonly moved: string
  readonly ofOther: string | undefined
}

/**
 * Moves back what is still attached to the merged record. A link that both originals had stays until the other one is restored.
 * Links to tasks and meetings that were deleted, and to emails of accounts that were removed, are left out.
 */
export async function moveBack(
  tx: Transaction,
  model: DataModel,
  { id, mergedId }: { readonly id: string; readonly mergedId: string },
  texts: MovedTexts,
): Promise<void> {
  const moved = JSON.parse(texts.moved) as Moved // `READ` made it
  const ofOther = texts.ofOther === undefined ? undefined : (JSON.parse(texts.ofOther) as Moved) // the same
  const workspace = model.workspace.id
  for (const table of ['notes', 'files', 'threads', 'removed_entries'] as const) {
    if (moved[table].length === 0) continue
    await tx.unsafe(MOVE_BACK[table], [workspace, id, mergedId, renderArray(moved[table])], { prepare: true })
  }
  const tasks = new Set(ofOther?.task_links.map(({ task_id }) => task_id))
  const meetings = new Set(ofOther?.meeting_links.map(({ meeting_id }) => meeting_id))
  const emails = new Set(ofOther?.email_links?.map(({ message_key }) => message_key))
  const followers = new Set(ofOther?.record_followers?.map(({ member_id }) => member_id))
  const links = {
    ...moved,
    email_links: moved.email_links ?? [],
    record_followers: moved.record_followers ?? [],
    record_pictures: moved.record_pictures ?? [],
  }
  const ended = {
    task_links: moved.task_links.filter(({ task_id }) => !tasks.has(task_id)),
    meeting_links: moved.meeting_links.filter(({ meeting_id }) => !meetings.has(meeting_id)),
    email_links: links.email_links.filter(({ message_key }) => !emails.has(message_key)),
    record_followers: links.record_followers.filter(({ member_id }) => !followers.has(member_id)),
    record_pictures: links.record_pictures,
  }
  const attachments: AttachmentRows[] = []
  for (const table of ['task_links', 'meeting_links', 'email_links', 'record_followers', 'record_pictures'] as const) {
    if (links[table].length === 0) continue
    await tx.unsafe(END_LINKS[table], [workspace, mergedId, JSON.stringify(ended[table])], { prepare: true })
    attachments.push({ table, rows: JSON.stringify(links[table]) })
  }
  await restoreAttachments(tx, model, { recordId: id, attachments, lists: [] })
}
