import { changeWorkspaceModel } from '../../data-model/change-model'
import { defineCommand, UsageError } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'

export const workspaceSet = defineCommand({
  name: 'workspace set',
  summary: 'Changes the settings of a workspace. Running services apply them immediately.',
  options: {
    'shows-updated-at': {
      kind: 'text',
      value: 'on|off',
      description: 'Whether values include updated_at and updated_by.',
      isRequired: true,
    },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options }, { db, print }) {
    const word = options['shows-updated-at']
    if (word !== 'on' && word !== 'off') throw new UsageError(`--shows-updated-at is on or off, not "${word}".`)
    const { id, slug } = await getWorkspace(db, options.workspace)
    await changeWorkspaceModel(db, id, async ({ tx }) => {
      await tx`update relata.workspaces set shows_updated_at = ${word === 'on'} where id = ${id}`
    })
    print(`The workspace ${slug} ${word === 'on' ? 'shows' : 'does not show'} updated_at.`)
    return 0
  },
})
