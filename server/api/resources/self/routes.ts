import { Elysia } from 'elysia'
import { readCredentials, type TokenAuthenticator } from '#access/tokens/authenticate'
import { type Introspection, IntrospectionSchema, introspectToken } from '#access/tokens/introspection'
import type { RouteGuard } from '#api/http/guard/route'
import type { AppContext } from '#context'
import { unrecognisedToken } from '#base/errors/access'

export const selfRoutes = (guard: RouteGuard, appContext: AppContext, tokens: TokenAuthenticator) =>
  new Elysia({ name: 'self' }).get(
    ...guard.open(
      '/v2/self',
      {
        operation: 'getSelf',
        summary: 'Identify the token',
        description:
          'A revoked or unknown token answers 200 with `active: false`; look at `active`, not at the status.',
        tag: 'Meta',
        response: IntrospectionSchema,
      },
      ({ request, bearer }) => introspectSelf(appContext, tokens, request.headers.get('authorization'), bearer),
    ),
  )

/** Introspects the token of the Authorization header. The response for an invalid token is inactive, not 401. */
async function introspectSelf(
  appContext: AppContext,
  tokens: TokenAuthenticator,
  header: string | null,
  bearer: string | undefined,
): Promise<Introspection> {
  const credentials = readCredentials(header, bearer)
  if (credentials.kind !== 'token') throw unrecognisedToken()
  return introspectToken(appContext, await tokens.find(credentials.token))
}
