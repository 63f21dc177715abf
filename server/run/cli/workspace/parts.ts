/** Commands about parts of a workspace: standard objects, domains and interaction attributes. */
import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { addDomain, markVerified, normalDomain } from '#access/domains/domains'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { requestAllRefreshes } from '#crm/interactions/request-refreshes'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { findObject } from '#engine/data-model/find'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import {
  CommandError,
  defineCommand,
  defineWorkspaceCommand,
  getNamedWorkspace,
  UsageError,
  WORKSPACE_OPTION,
} from '#run/cli/command'

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

export const domainVerify = defineCommand({
  name: 'domain verify',
  summary: 'Makes a domain a verified domain of a workspace, without a DNS record.',
  positionals: ['<domain>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [text = ''] }, { db, now, print }) {
    const domain = normalDomain(text)
    if (domain === undefined) throw new CommandError(`"${text}" is not a domain, such as example.com.`)
    const { id: workspaceId, slug } = await getNamedWorkspace(db, options.workspace)
    await db.sql.begin(async (tx) => {
      const { row } = await addDomain(tx, workspaceId, domain, now())
      if (row.verified_at !== null) return
      await markVerified(tx, workspaceId, row.id, now())
      const subject = { type: 'domain', id: row.id, name: domain }
      await audit(tx, { ...COMMAND_LINE, workspaceId, action: 'domain.verified', subject, now: now() })
    })
    print(`${domain} is a verified domain of workspace ${slug}.`)
  },
})

export const interactionsRebuild = defineWorkspaceCommand({
  name: 'interactions rebuild',
  summary: 'Computes the interaction attributes of all people and companies with interactions.',
  options: {},
  async run({ id }, _args, { db, now, print }) {
    await requestAllRefreshes(db, await loadDataModel(db, id), now)
    const count = await refreshInteractions({ db, now })
    print(`Computed the interaction attributes of ${count} records.`)
  },
})
