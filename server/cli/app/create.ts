import { COMMAND_LINE } from '../../access/audit'
import { ApiError } from '../../errors/api-error'
import { registerApp } from '../../oauth/register-app'
import { CommandError, defineCommand } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'
import { readScopes } from '../read-scopes'

/** With --json, all a script needs stands alone on the last line. */
export const appCreate = defineCommand({
  name: 'app create',
  summary: 'Registers an OAuth app and shows its secret, once.',
  options: {
    name: {
      kind: 'text',
      value: '<name>',
      description: 'What people read who are asked to let it in.',
      isRequired: true,
    },
    redirect: {
      kind: 'texts',
      value: '<url>',
      description: 'Where people return to with a code; may stand several times.',
      isRequired: true,
    },
    scopes: {
      kind: 'text',
      value: '<scopes>',
      description: 'all, or scopes separated by commas, e.g. record_permission:read,object_configuration:read.',
      isRequired: true,
    },
    developer: { kind: 'text', value: '<name>', description: 'Who makes it.' },
    public: { kind: 'flag', description: 'It cannot keep a secret, so it has none and must use PKCE.' },
    published: { kind: 'flag', description: 'It may be installed in other workspaces too.' },
    'refresh-tokens': { kind: 'flag', description: 'Its tokens expire after an hour, and are refreshed.' },
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
    const { id: workspaceId, slug } = await getWorkspace(db, options.workspace)
    const { app, secret } = await registerApp(db, workspaceId, settings, { ...COMMAND_LINE, now: now() }).catch(
      describeScopes,
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

/** What the API would answer, as a sentence. */
function describeScopes(error: unknown): never {
  throw error instanceof ApiError ? new CommandError(error.message) : error
}
