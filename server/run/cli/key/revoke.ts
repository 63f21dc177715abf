import { revokeKey } from '#access/tokens/api-keys'
import { COMMAND_LINE } from '#access/audit-log/audit'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { CommandError, defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const keyRevoke = defineCommand({
  name: 'key revoke',
  summary: 'Revokes an API key immediately. key list shows the ids.',
  positionals: ['<id>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [id = ''] }, { db, now, print }) {
    const { id: workspaceId, slug } = await getWorkspace(db, options.workspace)
    if (!isUuid(id) || !(await revokeKey(db, { workspaceId, id }, COMMAND_LINE, now()))) {
      throw new CommandError(`The workspace ${slug} has no valid key with the id "${id}".`)
    }
    print(`Key ${id} is revoked.`)
    return 0
  },
})
