/** Locks the tasks that are linked to records. */

import type { Transaction } from '../../db/connect'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'

/**
 * Raises the versions of the tasks that are linked to any of the records, because their links are about to change. Until the
 * transaction ends, no other one writes these tasks, so a later statement sees all their links.
 */
export async function raiseVersionsOfLinkedTasks(
  tx: Transaction,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.tasks')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', (query) =>
      query
        .selectFrom('relata.task_links')
        .select('task_id')
        .where('workspace_id', '=', workspaceId)
        .where('record_id', 'in', recordIds),
    )
    .execute()
}
