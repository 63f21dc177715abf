/** Locks the tasks and the meetings that are linked to records. */

import { renderArray, type Transaction } from '../../db/connect'

/**
 * Raises the versions of the tasks and meetings that are linked to any of the records, because their links are about to
 * change. Until the transaction ends, no other one writes these, so a later statement sees all their links.
 */
export async function raiseVersionsOfLinked(
  tx: Transaction,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<void> {
  await tx.unsafe(RAISE_VERSIONS, [workspaceId, renderArray(recordIds)], { prepare: true })
}

const RAISE_VERSIONS = `
  with meetings as (
    update relata.meetings set version = version + 1 where workspace_id = $1 and id in (
      select meeting_id from relata.meeting_links where workspace_id = $1 and record_id = any($2::uuid[])))
  update relata.tasks set version = version + 1 where workspace_id = $1 and id in (
    select task_id from relata.task_links where workspace_id = $1 and record_id = any($2::uuid[]))`
