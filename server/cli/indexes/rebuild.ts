import { loadDataModel } from '../../data-model/load'
import { listIndexes, rebuildIndex } from '../../indexes/manage'
import { defineCommand } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'

export const indexesRebuild = defineCommand({
  name: 'indexes rebuild',
  summary: 'Has the service build all indexes that queries asked for anew, failed ones included.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    const model = await loadDataModel(db, id)
    const indexes = (await listIndexes(db, id)).filter(({ state }) => state === 'ready' || state === 'failed')
    for (const { name } of indexes) await rebuildIndex(db, model, name)
    print(`The running service builds ${indexes.length} indexes anew.`)
    return 0
  },
})
