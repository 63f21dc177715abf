import { COMMAND_LINE } from '#access/audit-log/audit'
import { ApiError } from '#base/errors/api-error'
import { deleteApp } from '#access/oauth/apps/register-app'
import { CommandError, defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const appDelete = defineCommand({
  name: 'app delete',
  summary: 'Deletes an OAuth app and all its tokens immediately. app list shows the ids.',
  positionals: ['<client_id>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [id = ''] }, { db, now, print }) {
    const { id: workspaceId, slug } = await getWorkspace(db, options.workspace)
    try {
      await deleteApp(db, workspaceId, id, { ...COMMAND_LINE, now: now() })
    } catch (error) {
      if (error instanceof ApiError) throw new CommandError(`The workspace ${slug} has no app with the id "${id}".`)
      throw error
    }
    print(`App ${id} is deleted.`)
    return 0
  },
})
