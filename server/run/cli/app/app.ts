import { COMMAND_LINE } from '#access/audit-log/audit'
import { ApiError } from '#base/errors/api-error'
import { deleteApp, registerApp } from '#access/oauth/apps/register-app'
import {
  CommandError,
  defineCommand,
  defineWorkspaceCommand,
  getNamedWorkspace,
  printTable,
  WORKSPACE_OPTION,
} from '#run/cli/command'
import { readScopes } from '#run/cli/read-arguments'
import { listApps } from '#access/oauth/apps/apps'

/** With --json, prints the credentials as one line of JSON. */
export const appCreate = defineCommand({
  name: 'app create',
  summary: 'Registers an OAuth app and shows its secret, once.',
  options: {
    name: {
      kind: 'text',
      value: '<name>',
      description: 'The name that people see when they authorise the app.',
      isRequired: true,
    },
    redirect: {
      kind: 'texts',
      value: '<url>',
      description: 'The redirect URI. Can be repeated.',
      isRequired: true,
    },
    scopes: {
      kind: 'text',
      value: '<scopes>',
      description: 'all, or scopes separated by commas, e.g. record_permission:read,object_configuration:read.',
      isRequired: true,
    },
    developer: { kind: 'text', value: '<name>', description: 'The name of the developer.' },
    public: { kind: 'flag', description: 'The app has no secret and must use PKCE.' },
    published: { kind: 'flag', description: 'Other workspaces can install the app, too.' },
    'refresh-tokens': { kind: 'flag', description: 'Access tokens expire after an hour and come with refresh tokens.' },
    json: { kind: 'flag', description: 'Prints one line of JSON.' },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options }, { db, now, print }) {
    const settings = {
      name: options.name,
      description: null,
      developer_name: options.developer ?? null,
      website_url: null,
      logo_url: null,
      is_public: options.public,
      is_published: options.published,
      redirect_uris: [...new Set(options.redirect)],
      scopes: readScopes(options.scopes),
      allows_plain_pkce: false,
      uses_refresh_tokens: options['refresh-tokens'],
    }
    const { id: workspaceId, slug } = await getNamedWorkspace(db, options.workspace)
    const { app, secret } = await registerApp(db, workspaceId, settings, { ...COMMAND_LINE, now: now() }).catch(
      throwAsCommandError,
    )
    if (options.json) {
      print(JSON.stringify({ client_id: app.id, client_secret: secret }))
      return 0
    }
    print(`App ${app.name} of workspace ${slug}${secret === null ? '' : '; its secret is shown only now'}:`)
    print(`client_id      ${app.id}`)
    if (secret !== null) print(`client_secret  ${secret}`)
    return 0
  },
})

/** Shows a refusal of the API as the error of the command. */
function throwAsCommandError(error: unknown): never {
  throw error instanceof ApiError ? new CommandError(error.message) : error
}

export const appDelete = defineWorkspaceCommand({
  name: 'app delete',
  summary: 'Deletes an OAuth app and all its tokens immediately. app list shows the ids.',
  positionals: ['<client_id>'],
  options: {},
  async run({ id: workspaceId, slug }, { positionals: [id = ''] }, { db, now, print }) {
    try {
      await deleteApp(db, workspaceId, id, { ...COMMAND_LINE, now: now() })
    } catch (error) {
      if (error instanceof ApiError) throw new CommandError(`The workspace ${slug} has no app with the id "${id}".`)
      throw error
    }
    print(`App ${id} is deleted.`)
  },
})

export const appList = defineWorkspaceCommand({
  name: 'app list',
  summary: 'Lists the OAuth apps of a workspace.',
  options: {},
  async run({ id }, _args, { db, print }) {
    const rows = (await listApps(db, id)).map((app) => [
      app.id,
      app.name,
      app.is_public ? 'public' : 'confidential',
      app.is_published ? 'published' : 'own workspace',
      app.created_at.slice(0, 16),
      app.redirect_uris.join(' '),
      app.scopes.join(','),
    ])
    printTable(print, ['client_id', 'name', 'kind', 'for', 'made', 'returns to', 'scopes'], rows)
  },
})
