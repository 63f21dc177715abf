import { loadDataModel } from '#engine/data-model/load'
import { requestAllRefreshes } from '#crm/interactions/request-all'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { defineCommand } from '#run/cli/command'
import { getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const interactionsRebuild = defineCommand({
  name: 'interactions rebuild',
  summary: 'Computes the interaction attributes of all people and companies with interactions.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, now, print }) {
    const { id } = await getNamedWorkspace(db, options.workspace)
    await requestAllRefreshes(db, await loadDataModel(db, id), now)
    const count = await refreshInteractions({ db, now })
    print(`Computed the interaction attributes of ${count} records.`)
    return 0
  },
})
