import { COMMAND_LINE } from '../../access/audit-log/audit'
import { ApiError } from '../../errors/errors'
import { deleteApp } from '../../oauth/apps/register-app'
import { CommandProblem, defineCommand } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'

export const appDelete = defineCommand({
  name: 'app delete',
  summary: 'Removes an OAuth app and all its tokens at once and for good; app list shows the ids.',
  positionals: ['<client_id>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [id = ''] }, { db, now, print }) {
    const { id: workspaceId, slug } = await getWorkspace(db, options.workspace)
    try {
      await deleteApp(db, workspaceId, id, { ...COMMAND_LINE, now: now() })
    } catch (error) {
      if (error instanceof ApiError) throw new CommandProblem(`The workspace ${slug} has no app with the id "${id}".`)
      throw error
    }
    print(`App ${id} is deleted.`)
    return 0
  },
})
