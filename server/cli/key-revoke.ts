import { revokeToken } from '../access/tokens'
import { CommandProblem, defineCommand } from './command'
import { getWorkspace, WORKSPACE_OPTION } from './find-workspace'

export const keyRevoke = defineCommand({
  name: 'key revoke',
  summary: 'Ends an API key at once and for good; key list shows the ids.',
  positionals: ['<id>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [id = ''] }, { db, now, print }) {
    const { id: workspaceId, slug } = await getWorkspace(db, options.workspace)
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
    if (!isId || !(await revokeToken(db, workspaceId, id, now()))) {
      throw new CommandProblem(`The workspace ${slug} has no valid key with the id "${id}".`)
    }
    print(`Key ${id} is revoked.`)
    return 0
  },
})
