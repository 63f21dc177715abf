import { COMMAND_LINE } from '../../access/audit-log/audit'
import { ApiError } from '../../errors/errors'
import { registerApp } from '../../oauth/apps/register-app'
import { CommandProblem, defineCommand } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'
import { readScopes } from '../read-scopes'

/** With --json, all a script needs stands alone on the last line. */
export const appCreate = defineCommand({
  name: 'app create',
  summary: 'Registers an OAuth app and shows its secret, once.',
  options: {
    name: { kind: 'text', value: '<name>', means: 'What people read who are asked to let it in.', isRequired: true },
    redirect: {
      kind: 'texts',
      value: '<url>',
      means: 'Where people return to with a code; may stand several times.',
      isRequired: true,
    },
    scopes: {
      kind: 'text',
      value: '<scopes>',
      means: 'all, or scopes separated by commas, e.g. record_permission:read,object_configuration:read.',
      isRequired: true,
    },
    developer: { kind: 'text', value: '<name>', means: 'Who makes it.' },
    public: { kind: 'flag', means: 'It cannot keep a secret, so it has none and must use PKCE.' },
    published: { kind: 'flag', means: 'It may be installed in other workspaces too.' },
    'refresh-tokens': { kind: 'flag', means: 'Its tokens expire after an hour, and are refreshed.' },
    json: { kind: 'flag', means: 'Prints one line of JSON.' },
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
  throw error instanceof ApiError ? new CommandProblem(error.message) : error
}
