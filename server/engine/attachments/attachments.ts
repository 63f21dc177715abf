/**
 * Deletes or moves the attachments of a record that is deleted or merged. Attachments are rows of control tables that name
 * a record: notes, files, links of tasks, meetings and emails, threads, removed entries, followers and pictures. Comments and notifications go
 * with their thread by `on delete cascade`. Each function runs in the transaction of the write.
 * The caller has locked the records for deletion. A write that attaches something locks its record first, with
 * `lockAgainstDeletion`, so that no attachment is missed.
 * See docs/reference/records.md (Delete, Merge).
 */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

/**
 * Steps of a statement that raise the versions of the tasks and meetings that are linked to any of the records `$2`, because
 * their links are about to change. Until the transaction ends, no other one writes these, so a later statement sees all
 * their links.
 */
export const RAISE_VERSIONS_STEPS = `
  raised_tasks as (
    update relata.tasks set version = version + 1 where workspace_id = $1 and id in (
      select task_id from relata.task_links where workspace_id = $1 and record_id = any($2::uuid[])) returning 1
  ),
  raised_meetings as (
    update relata.meetings set version = version + 1 where workspace_id = $1 and id in (
      select meeting_id from relata.meeting_links where workspace_id = $1 and record_id = any($2::uuid[])) returning 1
  )`

/** The same as a statement. */
const RAISE_VERSIONS_OF_LINKED = `with ${RAISE_VERSIONS_STEPS} select 1`

/**
 * Deletes the notes, files, threads, followers and pictures of deleted records, also the threads on their entries, and their links to tasks,
 * meetings and emails. Attachments that go with their record have no change events of their own.
 */
export async function deleteAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  recordIds: readonly string[],
): Promise<void> {
  const parameters = [workspace.id, renderArray(recordIds)]
  const linked = await tx.unsafe(DELETE, parameters, { prepare: true })
  if (linked.length > 0) await tx.unsafe(DELETE_LINKS, parameters, { prepare: true })
}

const OF_RECORDS = 'workspace_id = $1 and record_id = any($2::uuid[])'

/**
 * A text, because every deletion of a record runs it, and building it with Kysely takes longer than sending it. Links are
 * deleted by a later statement, which sees those that another transaction wrote while this one waited for its tasks
 * and meetings.
 */
const DELETE = `
  with deleted_notes as (delete from relata.notes where workspace_id = $1 and parent_record_id = any($2::uuid[])),
    deleted_files as (delete from relata.files where ${OF_RECORDS}),
    deleted_removed_entries as (delete from relata.removed_entries where ${OF_RECORDS}),
    deleted_threads as (delete from relata.threads where ${OF_RECORDS}),
    deleted_email_links as (delete from relata.email_links where ${OF_RECORDS}),
    deleted_followers as (delete from relata.record_followers where ${OF_RECORDS}),
    deleted_pictures as (delete from relata.record_pictures where ${OF_RECORDS}),
    ${RAISE_VERSIONS_STEPS}
  select 1 from raised_tasks union all select 1 from raised_meetings`

const DELETE_LINKS = `
  with deleted_task_links as (delete from relata.task_links where ${OF_RECORDS})
  delete from relata.meeting_links where ${OF_RECORDS}`

export interface AttachmentCounts {
  readonly notes: number
  readonly files: number
  readonly threads: number
  /** With a link to one of the records. */
  readonly tasks: number
  readonly meetings: number
  /** That were sent from one of the records. */
  readonly emails: number
}

/** Counts the attachments of all records of an object, also those on their entries. */
export async function countAttachments(sql: Sql, workspaceId: string, objectId: string): Promise<AttachmentCounts> {
  const of = (table: string, column = 'object_id', counted = '*') =>
    `(select count(${counted})::int from relata.${table} where workspace_id = $1 and ${column} = $2)`
  const [row] = await sql.unsafe<AttachmentCounts[]>(
    `select ${of('notes', 'parent_object_id')} as notes, ${of('files')} as files, ${of('threads')} as threads,
      ${of('task_links', 'object_id', 'distinct task_id')} as tasks,
      ${of('meeting_links', 'object_id', 'distinct meeting_id')} as meetings,
      ${of('email_links', 'object_id', 'distinct message_key')} as emails`,
    [workspaceId, objectId],
  )
  if (row === undefined) throw new Error('A statement without a condition returned no row.')
  return row
}

/** Deletes the threads of deleted entries, whose records stay. */
export async function deleteEntryAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  entryIds: readonly string[],
): Promise<void> {
  if (entryIds.length === 0) return
  await controlQueriesIn(tx)
    .deleteFrom('relata.threads')
    .where('workspace_id', '=', workspace.id)
    .where('entry_id', 'in', entryIds)
    .execute()
}

/**
 * Moves the notes, files, threads and followers of the originals of a merge, also the threads on their entries, and their links to tasks,
 * meetings and emails, to the new record. The order of notes and threads stays that of their creation. A task, a meeting or an email
 * that was linked to both originals keeps one link, the first; so does a follower of both. The new record has the uploaded
 * picture of the primary, or else that of the secondary.
 */
export async function moveAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  { ids, newId }: { readonly ids: readonly string[]; readonly newId: string },
): Promise<void> {
  const parameters = [workspace.id, renderArray(ids)]
  await tx.unsafe(RAISE_VERSIONS_OF_LINKED, parameters, { prepare: true })
  await tx.unsafe(MOVE, [...parameters, newId], { prepare: true })
  await tx.unsafe(MOVE_COMMENTS, [...parameters, newId], { prepare: true })
}

/** Whether the task of the link `l` has a link to one of the records before it. */
const HAS_EARLIER_LINK = `exists (
  select from relata.task_links e
  where e.workspace_id = $1 and e.task_id = l.task_id and e.record_id = any($2::uuid[]) and e.position < l.position)`

/** Another link of the meeting of the link `l` to one of the records. */
const OTHER_MEETING_LINK = `select from relata.meeting_links e
  where e.workspace_id = $1 and e.meeting_id = l.meeting_id and e.record_id = any($2::uuid[]) and e.record_id <> l.record_id`
const HAS_EARLIER_MEETING_LINK = `exists (${OTHER_MEETING_LINK} and (e.position, e.record_id) < (l.position, l.record_id))`

const HAS_EARLIER_EMAIL_LINK = `exists (
  select from relata.email_links e
  where e.workspace_id = $1 and e.account_id = l.account_id and e.message_key = l.message_key and e.record_id = any($2::uuid[])
    and (e.linked_at, e.record_id) < (l.linked_at, l.record_id))`

const FOLLOWS_BOTH_SINCE_EARLIER = `exists (
  select from relata.record_followers e
  where e.workspace_id = $1 and e.member_id = f.member_id and e.record_id = any($2::uuid[])
    and (e.followed_at, e.record_id) < (f.followed_at, f.record_id))`

/** Whether the picture `p` of one of the two records was fetched, or gives way to the uploaded picture of the first one. */
const IS_LOST_PICTURE = `(p.sources_hash is not null or p.record_id <> ($2::uuid[])[1] and exists (
  select from relata.record_pictures e
  where e.workspace_id = $1 and e.record_id = ($2::uuid[])[1] and e.sources_hash is null))`

const MOVE = `
  with moved_notes as (
      update relata.notes set parent_record_id = $3 where workspace_id = $1 and parent_record_id = any($2::uuid[])),
    moved_files as (update relata.files set record_id = $3 where ${OF_RECORDS}),
    moved_removed_entries as (update relata.removed_entries set record_id = $3 where ${OF_RECORDS}),
    repeated_task_links as (delete from relata.task_links l where ${OF_RECORDS} and ${HAS_EARLIER_LINK}),
    moved_task_links as (update relata.task_links l set record_id = $3 where ${OF_RECORDS} and not ${HAS_EARLIER_LINK}),
    repeated_meeting_links as (delete from relata.meeting_links l where ${OF_RECORDS} and ${HAS_EARLIER_MEETING_LINK}),
    moved_meeting_links as (
      update relata.meeting_links l set record_id = $3, is_given = is_given or exists (${OTHER_MEETING_LINK} and e.is_given)
      where ${OF_RECORDS} and not ${HAS_EARLIER_MEETING_LINK}),
    repeated_email_links as (delete from relata.email_links l where ${OF_RECORDS} and ${HAS_EARLIER_EMAIL_LINK}),
    moved_email_links as (update relata.email_links l set record_id = $3 where ${OF_RECORDS} and not ${HAS_EARLIER_EMAIL_LINK}),
    repeated_followers as (delete from relata.record_followers f where ${OF_RECORDS} and ${FOLLOWS_BOTH_SINCE_EARLIER}),
    moved_followers as (
      update relata.record_followers f set record_id = $3 where ${OF_RECORDS} and not ${FOLLOWS_BOTH_SINCE_EARLIER}),
    lost_pictures as (delete from relata.record_pictures p where ${OF_RECORDS} and ${IS_LOST_PICTURE}),
    moved_pictures as (update relata.record_pictures p set record_id = $3 where ${OF_RECORDS} and not ${IS_LOST_PICTURE})
  update relata.threads set record_id = $3 where ${OF_RECORDS}`

/** Runs when the threads have moved, and so sees the comments that another transaction wrote before. */
const MOVE_COMMENTS = `update relata.comments set record_id = $3 where ${OF_RECORDS}`

// Stores entries that are removed from their lists. See docs/reference/activity.md (Items).

/** When and by whom an entry was created or removed. */
export interface EntryWrite {
  readonly at: Micros
  /** The number of the actor. */
  readonly actor: number
}

interface DeletedEntry {
  readonly id: string
  readonly parentRecordId?: string
  readonly created: EntryWrite
}

/** Stores the removal of entries with their records, in the transaction that deletes the entries of a list. */
export async function insertRemovedEntries(
  tx: Transaction,
  { workspace }: DataModel,
  { listId, entries }: { readonly listId: string; readonly entries: readonly DeletedEntry[] },
  removal: EntryWrite,
): Promise<void> {
  const rows = entries.flatMap(({ id, parentRecordId, created }) =>
    parentRecordId === undefined
      ? []
      : [
          {
            workspace_id: workspace.id,
            record_id: parentRecordId,
            list_id: listId,
            entry_id: id,
            created_at: timestampFromMicros(created.at),
            created_by: created.actor,
            removed_at: timestampFromMicros(removal.at),
            removed_by: removal.actor,
          },
        ],
  )
  if (rows.length > 0) await controlQueriesIn(tx).insertInto('relata.removed_entries').values(rows).execute()
}

const FIND_ATTACHED = `
  select parent_record_id as id from relata.notes where workspace_id = $1 and parent_record_id = any($2::uuid[])
  union select record_id from relata.files where ${OF_RECORDS}
  union select record_id from relata.threads where ${OF_RECORDS}
  union select record_id from relata.task_links where ${OF_RECORDS}
  union select record_id from relata.email_links where ${OF_RECORDS}`

/** Those of the records that have notes, files, comments or tasks, or from which an email was sent. Meetings are left out, as the service links them itself. */
export async function findRecordsWithAttachments(
  sql: Sql,
  { workspace }: DataModel,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.unsafe<{ id: string }[]>(
    FIND_ATTACHED,
    [workspace.id, renderArray(ids)],
    prepareOptions(FIND_ATTACHED),
  )
  return new Set(rows.map(({ id }) => id))
}

/** The records to which something was attached since a time, from which an email was sent, that left a list, or that have a meeting since then or later than now. */
export async function findAttachedSince(
  sql: Sql | Transaction,
  { workspace }: DataModel,
  recordIds: readonly string[],
  since: Micros,
): Promise<ReadonlySet<string>> {
  if (recordIds.length === 0) return new Set()
  const parameters = [workspace.id, renderArray(recordIds), timestampFromMicros(since)]
  const rows = await sql.unsafe<{ record_id: string }[]>(ATTACHED_SINCE, parameters, prepareOptions(ATTACHED_SINCE))
  return new Set(rows.map(({ record_id }) => record_id))
}

const ATTACHED_SINCE = `
  select parent_record_id as record_id from relata.notes
    where workspace_id = $1 and parent_record_id = any($2::uuid[]) and created_at >= $3
  union select record_id from relata.comments where ${OF_RECORDS} and created_at >= $3
  union select record_id from relata.files where ${OF_RECORDS} and created_at >= $3
  union select record_id from relata.removed_entries where ${OF_RECORDS} and removed_at >= $3
  union select record_id from relata.task_links where ${OF_RECORDS} and (linked_at >= $3 or completed_at >= $3)
  union select record_id from relata.meeting_links where ${OF_RECORDS} and starts_at >= $3
  union select record_id from relata.email_links where ${OF_RECORDS} and linked_at >= $3`
