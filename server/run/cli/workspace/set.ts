import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { defineCommand, UsageError } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

const ON_OR_OFF = { kind: 'text', value: 'on|off' } as const

export const workspaceSet = defineCommand({
  name: 'workspace set',
  summary: 'Changes the settings of a workspace. Running services apply them immediately.',
  options: {
    'shows-updated-at': { ...ON_OR_OFF, description: 'Whether values include updated_at and updated_by.' },
    'creates-contacts': {
      ...ON_OR_OFF,
      description: 'Whether participants of meetings become people, and email domains companies.',
    },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options }, { db, print }) {
    const updatedAt = isOn('shows-updated-at', options['shows-updated-at'])
    const contacts = isOn('creates-contacts', options['creates-contacts'])
    if (updatedAt === undefined && contacts === undefined)
      throw new UsageError('Give --shows-updated-at or --creates-contacts.')
    const { id, slug } = await getWorkspace(db, options.workspace)
    await changeWorkspaceModel(db, id, async ({ control, model: { workspace } }) => {
      const { shows_updated_at, creates_contacts } = workspace
      const state = {
        shows_updated_at: updatedAt ?? shows_updated_at,
        creates_contacts: contacts ?? creates_contacts,
      }
      await control.updateTable('relata.workspaces').set(state).where('id', '=', id).execute()
    })
    if (updatedAt !== undefined) print(`The workspace ${slug} ${updatedAt ? 'shows' : 'does not show'} updated_at.`)
    if (contacts !== undefined) print(`The workspace ${slug} ${contacts ? 'creates' : 'does not create'} contacts.`)
    return 0
  },
})

/** Undefined for an option that was not given. */
function isOn(option: string, word: string | undefined): boolean | undefined {
  if (word === undefined) return undefined
  if (word !== 'on' && word !== 'off') throw new UsageError(`--${option} is on or off, not "${word}".`)
  return word === 'on'
}
