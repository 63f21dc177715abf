import { readCredentials, type TokenAuthenticator } from '#access/tokens/authenticate'
import { type Introspection, renderIntrospection } from '#access/tokens/introspection'
import { unrecognisedToken } from '#base/errors/access'
import type { AppContext } from '#context'

/** Introspects the token of the Authorization header. The response for an invalid token is inactive, not 401. */
export async function introspectSelf(
  appContext: AppContext,
  tokens: TokenAuthenticator,
  header: string | null,
  bearer: string | undefined,
): Promise<Introspection> {
  const credentials = readCredentials(header, bearer)
  if (credentials.kind !== 'token') throw unrecognisedToken()
  const token = await tokens.find(credentials.token)
  if (token === undefined) return { active: false }
  const { workspace } = await appContext.models.get(token.workspaceId)
  return renderIntrospection(token, workspace, appContext.settings.issuer)
}
