/**
 * What happens to the attachments of a record when it is deleted or merged. Attachments are rows of control tables that name
 * a record: notes, task links, threads and removed entries. Comments and notifications go with their thread by `on delete
 * cascade`. Each function is one statement for all kinds, in the transaction of the write.
 * The caller has locked the records for deletion. A write that attaches something locks its record first, with
 * `lockAgainstDeletion`, so that no attachment is missed.
 * See docs/reference/records.md (Delete, Merge).
 */

import { sql } from 'kysely'
import type { Transaction } from '../../db/connect'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import type { DataModel } from '../data-model/model'
import { raiseVersionsOfLinkedTasks } from './task-links'

/**
 * Deletes the notes and threads of deleted records, also the threads on their entries, and their links to tasks. Attachments
 * that go with their record have no change events of their own.
 */
export async function deleteAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  recordIds: readonly string[],
): Promise<void> {
  await raiseVersionsOfLinkedTasks(tx, workspace.id, recordIds)
  await controlQueriesIn(tx)
    .with('deleted_notes', (query) =>
      query
        .deleteFrom('relata.notes')
        .where('workspace_id', '=', workspace.id)
        .where('parent_record_id', 'in', recordIds),
    )
    .with('deleted_removed_entries', (query) =>
      query
        .deleteFrom('relata.removed_entries')
        .where('workspace_id', '=', workspace.id)
        .where('record_id', 'in', recordIds),
    )
    .with('deleted_task_links', (query) =>
      query
        .deleteFrom('relata.task_links')
        .where('workspace_id', '=', workspace.id)
        .where('record_id', 'in', recordIds),
    )
    .with('deleted_threads', (query) =>
      query.deleteFrom('relata.threads').where('workspace_id', '=', workspace.id).where('record_id', 'in', recordIds),
    )
    .selectNoFrom(sql`1`.as('done'))
    .execute()
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
 * Moves the notes and threads of the originals of a merge, also the threads on their entries, and their links to tasks, to
 * the new record. The order of notes and threads stays that of their creation. A task that was linked to both originals keeps one link, the first.
 */
export async function moveAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  { ids, newId }: { readonly ids: readonly string[]; readonly newId: string },
): Promise<void> {
  await raiseVersionsOfLinkedTasks(tx, workspace.id, ids)
  await controlQueriesIn(tx)
    .with('moved_notes', (query) =>
      query
        .updateTable('relata.notes')
        .set({ parent_record_id: newId })
        .where('workspace_id', '=', workspace.id)
        .where('parent_record_id', 'in', ids),
    )
    .with('moved_removed_entries', (query) =>
      query
        .updateTable('relata.removed_entries')
        .set({ record_id: newId })
        .where('workspace_id', '=', workspace.id)
        .where('record_id', 'in', ids),
    )
    .with('repeated_task_links', (query) =>
      query
        .deleteFrom('relata.task_links as l')
        .where('workspace_id', '=', workspace.id)
        .where('record_id', 'in', ids)
        .where(hasEarlierLink(ids)),
    )
    .with('moved_task_links', (query) =>
      query
        .updateTable('relata.task_links as l')
        .set({ record_id: newId })
        .where('workspace_id', '=', workspace.id)
        .where('record_id', 'in', ids)
        .where(({ not }) => not(hasEarlierLink(ids))),
    )
    .with('moved_threads', (query) =>
      query
        .updateTable('relata.threads')
        .set({ record_id: newId })
        .where('workspace_id', '=', workspace.id)
        .where('record_id', 'in', ids),
    )
    .selectNoFrom(sql`1`.as('done'))
    .execute()
}

/** Whether the task of the link `l` has a link to one of the records before it. */
const hasEarlierLink = (ids: readonly string[]) =>
  sql<boolean>`exists (
    select from relata.task_links e
    where e.workspace_id = l.workspace_id and e.task_id = l.task_id and e.record_id in (${sql.join(ids)})
      and e.position < l.position)`
