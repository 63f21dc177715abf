import type { Access } from '../../access/authenticate'
import { readCredentials } from '../../access/credentials'
import { renderIntrospection } from '../../access/introspection'
import { unrecognisedToken } from '../../errors/access'
import type { AppContext } from '../../context'
import type { Introspection } from '../../access/introspection-schemas'

/** Says what the token of an Authorization header is good for. Never 401: that it is good for nothing is an answer too. */
export async function introspect(
  appContext: AppContext,
  access: Access,
  header: string | null,
  bearer: string | undefined,
): Promise<Introspection> {
  const credentials = readCredentials(header, bearer)
  if (credentials.kind !== 'token') throw unrecognisedToken()
  const token = await access.find(credentials.token)
  if (token === undefined) return { active: false }
  const { workspace } = await appContext.models.get(token.workspaceId)
  return renderIntrospection(token, workspace, appContext.settings.issuer)
}
