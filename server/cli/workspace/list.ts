import { defineCommand } from '../command'
import { listWorkspaces } from '../find-workspace'
import { renderTable } from '../table'

export const workspaceList = defineCommand({
  name: 'workspace list',
  summary: 'Lists the workspaces and their settings.',
  options: {},
  async run(_, { db, print }) {
    const workspaces = await listWorkspaces(db)
    const rows = workspaces.map(({ slug, name, shows_updated_at }) => [slug, name, shows_updated_at ? 'on' : 'off'])
    for (const line of renderTable(['slug', 'name', 'shows updated_at'], rows)) print(line)
    return 0
  },
})
