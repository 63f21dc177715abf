/** An application whose routes return the input that the route guard gave them, also over a real connection. */

import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { createTokenAuthenticator } from '#access/tokens/authenticate'
import { createAnswers, JsonText } from '#api/http/response/answer'
import { authenticateBy, bearerTokens, tokenWay } from '#api/http/guard/caller'
import { createRouteGuard } from '#api/http/guard/route-guard'
import { globalHooks } from '../app'
import { createRequestCounter } from '#api/http/monitoring/observe-requests'
import { limitOffset } from '#api/http/request/pagination'
import type { AppContext } from '#context'
import { createClient, type Client } from './client'
import { testService, type TestService } from './service'

export interface EchoService {
  readonly service: TestService
  readonly request: Client
  readonly url: string
  close(): Promise<void>
}

export async function echoService(bodyLimit: number): Promise<EchoService> {
  const service = await testService({ bodyLimit })
  const app = echoApp(service.appContext)
  app.listen({ port: 0, hostname: '127.0.0.1' })
  return {
    service,
    request: createClient(app, service.key),
    url: `http://127.0.0.1:${app.server?.port}`,
    async close() {
      await app.stop(true)
      await service.close()
    },
  }
}

const Body = Type.Object({ data: Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }) })
const Query = Type.Object({
  ...limitOffset(10, 50),
  show: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
})
const about = { summary: 'Echo', tag: 'Test', response: Type.Unknown() }

function echoApp(appContext: AppContext) {
  const tokens = createTokenAuthenticator(appContext.db, appContext.now)
  const guard = createRouteGuard(appContext, authenticateBy([tokenWay(appContext, tokens)]))
  return new Elysia({ normalize: false })
    .use(globalHooks(createAnswers('relata'), 'relata', { requests: createRequestCounter() }))
    .use(bearerTokens())
    .post(
      ...guard(
        '/echo',
        { ...about, operation: 'echo', scopes: ['note:read-write', 'task:read'], body: Body },
        ({ body }) => body,
      ),
    )
    .delete(...guard('/echo', { ...about, operation: 'drop', scopes: [] }, () => ({})))
    .post(
      ...guard(
        '/optional',
        { ...about, operation: 'optional', scopes: [], body: Type.Object({}), bodyOptional: true },
        ({ body }) => ({ body }),
      ),
    )
    .get(...guard('/query', { ...about, operation: 'query', scopes: [], query: Query }, ({ query }) => ({ query })))
    .get(...guard('/path/:attribute', { ...about, operation: 'path', scopes: [] }, ({ params }) => ({ params })))
    .get(
      ...guard(
        '/text',
        { ...about, operation: 'text', scopes: [] },
        () => new JsonText('{"a":1}', { status: 201, headers: { ETag: '"1"' } }),
      ),
    )
    .get(
      ...guard(
        '/fail',
        { ...about, operation: 'fail', scopes: [], query: Type.Object({ code: Type.String() }) },
        ({ query }) => fail(query.code),
      ),
    )
}

function fail(code: string): never {
  throw Object.assign(new Error('the secret cause'), { code })
}
