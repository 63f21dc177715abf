/** Locks the tasks that are linked to records. */

import { renderArray, type Transaction } from '../../db/connect'

/**
 * Raises the versions of the tasks that are linked to any of the records, because their links are about to change. Until the
 * transaction ends, no other one writes these tasks, so a later statement sees all their links.
 */
export async function raiseVersionsOfLinkedTasks(
  tx: Transaction,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<void> {
  await tx.unsafe(RAISE_VERSIONS, [workspaceId, renderArray(recordIds)], { prepare: true })
}

const RAISE_VERSIONS = `
  update relata.tasks set version = version + 1 where workspace_id = $1 and id in (
    select task_id from relata.task_links where workspace_id = $1 and record_id = any($2::uuid[]))`
