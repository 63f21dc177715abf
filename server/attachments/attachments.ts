/**
 * What happens to the attachments of a record when it is deleted or merged. Attachments are rows of control tables that name
 * a record, such as notes. Each function is one statement for all kinds of attachments, in the transaction of the write.
 * The caller has locked the records for deletion. A write that attaches something locks its record first, with
 * `lockAgainstDeletion`, so that no attachment is missed.
 * See docs/reference/records.md (Delete, Merge).
 */

import { sql } from 'kysely'
import type { Transaction } from '../../db/connect'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import type { DataModel } from '../data-model/model'

/** Deletes the notes of deleted records. Attachments that go with their record have no change events of their own. */
export async function deleteAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  recordIds: readonly string[],
): Promise<void> {
  await controlQueriesIn(tx)
    .with('deleted_notes', (query) =>
      query
        .deleteFrom('relata.notes')
        .where('workspace_id', '=', workspace.id)
        .where('parent_record_id', 'in', recordIds),
    )
    .selectNoFrom(sql`1`.as('done'))
    .execute()
}

/** Moves the notes of the originals of a merge to the new record. The order of the notes stays that of their creation. */
export async function moveAttachments(
  tx: Transaction,
  { workspace }: DataModel,
  { ids, newId }: { readonly ids: readonly string[]; readonly newId: string },
): Promise<void> {
  await controlQueriesIn(tx)
    .with('moved_notes', (query) =>
      query
        .updateTable('relata.notes')
        .set({ parent_record_id: newId })
        .where('workspace_id', '=', workspace.id)
        .where('parent_record_id', 'in', ids),
    )
    .selectNoFrom(sql`1`.as('done'))
    .execute()
}
