import { findObject } from '#engine/data-model/find'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { CommandError, defineCommand, UsageError } from '#run/cli/command'
import { getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const objectSet = defineCommand({
  name: 'object set',
  summary: 'Enables or disables a standard object. Its records are kept.',
  positionals: ['<slug>'],
  options: {
    enabled: { kind: 'text', value: 'on|off', description: 'Whether the object is enabled.', isRequired: true },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [slugOrId = ''] }, { db, print }) {
    const word = options.enabled
    if (word !== 'on' && word !== 'off') throw new UsageError(`--enabled is on or off, not "${word}".`)
    const { id, slug } = await getNamedWorkspace(db, options.workspace)
    const api_slug = await changeWorkspaceModel(db, id, async ({ control, model }) => {
      const object = findObject(model, slugOrId)
      if (!object) throw new CommandError(`The workspace ${slug} has no object "${slugOrId}".`)
      if (object.standard_slug === null)
        throw new CommandError(`"${slugOrId}" is a custom object; those are always on.`)
      await control
        .updateTable('relata.objects')
        .set({ is_enabled: word === 'on' })
        .where(equal({ workspace_id: id, id: object.id }))
        .execute()
      return object.api_slug
    })
    print(`The object ${api_slug} is ${word}.`)
    return 0
  },
})
