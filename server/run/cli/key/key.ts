import { createKey, revokeKey } from '#access/tokens/api-keys'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { COMMAND_LINE } from '#access/audit-log/audit'
import {
  CommandError,
  defineCommand,
  defineWorkspaceCommand,
  getNamedWorkspace,
  printTable,
  WORKSPACE_OPTION,
} from '#run/cli/command'
import { readScopes } from '#run/cli/read-arguments'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { isUuid } from '#vocabulary/uuids'

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
    const { id: workspaceId, slug } = await getNamedWorkspace(db, options.workspace)
    const admin = await db.control
      .selectFrom('relata.workspace_members')
      .select('id')
      .where(equal({ workspace_id: workspaceId, access_level: 'admin' }))
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
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

export const keyList = defineWorkspaceCommand({
  name: 'key list',
  summary: 'Lists the API keys of a workspace, revoked ones included.',
  options: {},
  async run({ id }, _args, { db, print }) {
    const keys = await db.control
      .selectFrom('relata.tokens')
      .select(['id', 'name', 'hint', 'scopes', 'created_at', 'last_used_at', 'revoked_at'])
      .where('workspace_id', '=', id)
      .where('grant_id', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `…${key.hint}`,
      minute(key.created_at),
      key.last_used_at === null ? 'never' : minute(key.last_used_at),
      key.revoked_at === null ? 'valid' : `revoked ${minute(key.revoked_at)}`,
      key.scopes.length === READ_WRITE_SCOPES.length ? 'all' : key.scopes.join(','),
    ])
    printTable(print, ['id', 'name', 'ends in', 'made', 'last used', 'state', 'scopes'], rows)
  },
})

const minute = (timestamp: string): string => timestamp.slice(0, 16)

export const keyRevoke = defineWorkspaceCommand({
  name: 'key revoke',
  summary: 'Revokes an API key immediately. key list shows the ids.',
  positionals: ['<id>'],
  options: {},
  async run({ id: workspaceId, slug }, { positionals: [id = ''] }, { db, now, print }) {
    if (!isUuid(id) || !(await revokeKey(db, { workspaceId, id }, COMMAND_LINE, now()))) {
      throw new CommandError(`The workspace ${slug} has no valid key with the id "${id}".`)
    }
    print(`Key ${id} is revoked.`)
  },
})
