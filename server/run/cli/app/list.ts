import { listApps } from '#access/oauth/apps/apps'
import { defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { renderTable } from '#run/cli/table'

export const appList = defineCommand({
  name: 'app list',
  summary: 'Lists the OAuth apps of a workspace.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    const rows = (await listApps(db, id)).map((app) => [
      app.id,
      app.name,
      app.is_public ? 'public' : 'confidential',
      app.is_published ? 'published' : 'own workspace',
      app.created_at.slice(0, 16),
      app.redirect_uris.join(' '),
      app.scopes.join(','),
    ])
    for (const line of renderTable(['client_id', 'name', 'kind', 'for', 'made', 'returns to', 'scopes'], rows))
      print(line)
    return 0
  },
})
