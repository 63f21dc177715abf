import { workspaceSchemaName } from '#engine/data-model/names'
import { defineCommand } from '#run/cli/command'
import { listWorkspaces } from '#run/cli/find-workspace'
import { renderTable } from '#run/cli/table'

export const workspaceList = defineCommand({
  name: 'workspace list',
  summary: 'Lists the workspaces and their settings.',
  options: {},
  async run(_, { db, print }) {
    const workspaces = await listWorkspaces(db)
    const rows = workspaces.map(({ number, slug, name, shows_updated_at, creates_contacts }) => [
      slug,
      name,
      shows_updated_at ? 'on' : 'off',
      creates_contacts ? 'on' : 'off',
      workspaceSchemaName(number),
    ])
    for (const line of renderTable(['slug', 'name', 'shows updated_at', 'creates contacts', 'schema'], rows))
      print(line)
    return 0
  },
})
