import { loadDataModel } from '#engine/data-model/load'
import { refuseIndex } from '#engine/indexes/manage'
import { CommandError, defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const indexesDrop = defineCommand({
  name: 'indexes drop',
  summary: 'Drops an index of the index advisor. It is not built again unless you request it with indexes want.',
  positionals: ['<name>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [name = ''] }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    if (!(await refuseIndex(db, await loadDataModel(db, id), name))) {
      throw new CommandError(`There is no index "${name}"; see bun relata indexes list.`)
    }
    print(`${name} is dropped.`)
    return 0
  },
})
