import { loadDataModel } from '#engine/data-model/load'
import { requestAllRefreshes } from '#crm/interactions/request-refreshes'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { defineWorkspaceCommand } from '#run/cli/find-workspace'

export const interactionsRebuild = defineWorkspaceCommand({
  name: 'interactions rebuild',
  summary: 'Computes the interaction attributes of all people and companies with interactions.',
  options: {},
  async run({ id }, _args, { db, now, print }) {
    await requestAllRefreshes(db, await loadDataModel(db, id), now)
    const count = await refreshInteractions({ db, now })
    print(`Computed the interaction attributes of ${count} records.`)
  },
})
