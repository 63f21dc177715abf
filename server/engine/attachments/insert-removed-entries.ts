/** Stores entries that are removed from their lists. See docs/reference/activity.md (Items). */

import type { Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

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
