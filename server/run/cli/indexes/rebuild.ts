import { loadDataModel } from '#engine/data-model/load'
import { listIndexes, rebuildIndex } from '#engine/indexes/manage'
import { defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const indexesRebuild = defineCommand({
  name: 'indexes rebuild',
  summary: 'Makes the service rebuild all indexes of the index advisor, including failed ones.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    const model = await loadDataModel(db, id)
    const indexes = (await listIndexes(db, id)).filter(({ state }) => state === 'ready' || state === 'failed')
    for (const { name } of indexes) await rebuildIndex(db, model, name)
    print(`The running service rebuilds ${indexes.length} indexes.`)
    return 0
  },
})
