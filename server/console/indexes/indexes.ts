/** Lists the indexes of a workspace, and keeps, rebuilds and drops them. */

import type { AppContext } from '../../context'
import { loadDataModel } from '../../data-model/load'
import { indexNotFound } from '../../errors/queries'
import { keepIndex, listIndexes, rebuildIndex, refuseIndex } from '../../indexes/manage'
import { timestampFromPostgres } from '../../timing/clock'
import type { IndexOutput, SteerAction } from './schemas'

export async function listWorkspaceIndexes({ db }: AppContext, workspaceId: string): Promise<IndexOutput[]> {
  const indexes = await listIndexes(db, workspaceId)
  return indexes.map(({ entityType, last_used_at, ...index }) => ({
    ...index,
    object: entityType,
    last_used_at: last_used_at === null ? null : timestampFromPostgres(last_used_at),
  }))
}

/** Throws 404. The background worker builds the index later. A drop is complete when the request ends. */
export async function steerIndex(
  { db }: AppContext,
  workspaceId: string,
  { name, action }: { readonly name: string; readonly action: SteerAction },
): Promise<void> {
  const steer = { keep: keepIndex, rebuild: rebuildIndex, drop: refuseIndex }[action]
  if (!(await steer(db, await loadDataModel(db, workspaceId), name))) throw indexNotFound(name)
}
