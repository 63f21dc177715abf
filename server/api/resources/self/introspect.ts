import { readCredentials, type TokenAuthenticator } from '#access/tokens/authenticate'
import { type Introspection, introspectToken } from '#access/tokens/introspection'
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
  return introspectToken(appContext, await tokens.find(credentials.token))
}
