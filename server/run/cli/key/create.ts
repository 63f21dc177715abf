import { createKey } from '#access/tokens/api-keys'
import { COMMAND_LINE } from '#access/audit-log/audit'
import { CommandError, defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { readScopes } from '#run/cli/read-scopes'

/** Prints the key alone on the last line, so that a script can take it from there. */
export const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Creates an API key and shows it once.',
  options: {
    name: { kind: 'text', value: '<name>', description: 'The name of the key. Default: Command line.' },
    scopes: {
      kind: 'text',
      value: '<scopes>',
      description: 'all, or scopes separated by commas, e.g. record_permission:read,object_configuration:read.',
      isRequired: true,
    },
    json: { kind: 'flag', description: 'Prints one line of JSON, with id and key.' },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options }, { db, now, print }) {
    const scopes = readScopes(options.scopes)
    const { id: workspaceId, slug } = await getWorkspace(db, options.workspace)
    const [admin] = await db.sql<{ id: string }[]>`
      select id from relata.workspace_members where workspace_id = ${workspaceId} and access_level = 'admin'
      order by created_at, id limit 1`
    if (!admin) throw new CommandError(`The workspace ${slug} has no administrator for whom the key could be created.`)
    const name = options.name ?? 'Command line'
    const input = { workspaceId, name, scopes, authorizedBy: admin.id, now: now() }
    const { id, token } = await createKey(db, input, COMMAND_LINE)
    if (options.json) {
      print(JSON.stringify({ id, key: token }))
      return 0
    }
    print(`Key ${id} of workspace ${slug}; it is shown only now:`)
    print(token)
    return 0
  },
})
