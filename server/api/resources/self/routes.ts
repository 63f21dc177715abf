import { Elysia } from 'elysia'
import type { TokenAuthenticator } from '#access/tokens/authenticate'
import { IntrospectionSchema } from '#access/tokens/introspection'
import type { RouteGuard } from '#api/http/guard/route'
import type { AppContext } from '#context'
import { introspectSelf } from './introspect'

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
