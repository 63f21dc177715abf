/** The data models of workspaces whose objects are not visible to all members. */

import type { Sql, Transaction } from '#db/connect'
import { createLru } from '#base/caching/lru'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel } from '#engine/data-model/model'

const MAX_MODELS = 50

/** By workspace and version, which the caller's statement reads, so no model is older than the call. */
const models = createLru<string, DataModel>(MAX_MODELS)

/** By the workspace's id. Workspaces in which all members have read-write access to all objects have no model here. */
export async function findModelsWithGrants(
  sql: Sql | Transaction,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, DataModel>> {
  const rows = await sql<{ id: string; version: number }[]>`
    select id, data_model_version as version from relata.workspaces w
    where id = any(${[...workspaceIds]}::uuid[]) and (
      exists (select from relata.objects o where o.workspace_id = w.id and o.member_access <> 'read-write')
      or exists (select from relata.object_teams t where t.workspace_id = w.id))`
  const found = new Map<string, DataModel>()
  for (const { id, version } of rows) {
    const key = `${id} ${version}`
    const model = models.get(key) ?? (await loadDataModel(sql, id))
    models.set(key, model)
    found.set(id, model)
  }
  return found
}
