import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { requireValidParams } from '#api/http/guard/read-input'
import type { RouteGuard } from '#api/http/guard/route'
import type { AppContext } from '#context'
import { createReceiver } from './receive'
import { listTestRequests, watchTestRequests } from './requests'
import { createEndpoint, deleteEndpoint, getEndpointRow, HOOKS_PATH, renderEndpoint, updateEndpoint } from './save'
import {
  TestEndpointAnswer,
  TestEndpointBody,
  TestEndpointsAnswer,
  TestRequestsAnswer,
  TestRequestsQuery,
  TestRequestsStream,
} from './schemas'
import { listEndpointRows } from './store'

/** A token that acts for one member may call none of these operations, as in the public API. */
const ofWorkspace = { tag: 'Webhooks', tokenLevel: 'workspace' } as const
const read = ['webhook:read'] as const
const write = ['webhook:read-write'] as const
const path = '/v2/test_endpoints'
const one = `${path}/:test_endpoint_id`

/** Receivers that accept any request, so that webhooks can be tried without a receiver of one's own. */
export const testEndpointRoutes = (guard: RouteGuard, appContext: AppContext) =>
  new Elysia({ name: 'test endpoints' })
    .use(collectionRoutes(guard))
    .use(singleRoutes(guard))
    .use(requestRoutes(guard))
    .use(receiverRoutes(appContext))

const collectionRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'all test endpoints' })
    .get(
      ...guard(
        path,
        {
          operation: 'listTestEndpoints',
          summary: 'List test endpoints',
          ...ofWorkspace,
          scopes: read,
          response: TestEndpointsAnswer,
        },
        async ({ context }) => ({ data: (await listEndpointRows(context)).map((row) => renderEndpoint(context, row)) }),
      ),
    )
    .post(
      ...guard(
        path,
        {
          operation: 'createTestEndpoint',
          summary: 'Create a test endpoint',
          description: 'Its `url` accepts and stores any request, with or without a webhook.',
          ...ofWorkspace,
          scopes: write,
          body: TestEndpointBody,
          response: TestEndpointAnswer,
        },
        async ({ context, body }) => ({ data: await createEndpoint(context, body.data) }),
      ),
    )

const singleRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'one test endpoint' })
    .get(
      ...guard(
        one,
        {
          operation: 'getTestEndpoint',
          summary: 'Get a test endpoint',
          ...ofWorkspace,
          scopes: read,
          response: TestEndpointAnswer,
        },
        async ({ context, params }) => ({
          data: renderEndpoint(context, await getEndpointRow(context, params.test_endpoint_id)),
        }),
      ),
    )
    .patch(
      ...guard(
        one,
        {
          operation: 'updateTestEndpoint',
          summary: 'Change the response of a test endpoint',
          ...ofWorkspace,
          scopes: write,
          body: TestEndpointBody,
          response: TestEndpointAnswer,
        },
        async ({ context, params, body }) => ({
          data: await updateEndpoint(context, params.test_endpoint_id, body.data),
        }),
      ),
    )
    .delete(
      ...guard(
        one,
        {
          operation: 'deleteTestEndpoint',
          summary: 'Delete a test endpoint with its requests',
          ...ofWorkspace,
          scopes: write,
          response: EmptyAnswer,
        },
        async ({ context, params }) => {
          await deleteEndpoint(context, params.test_endpoint_id)
          return {}
        },
      ),
    )

const requestRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'requests at test endpoints' })
    .get(
      ...guard(
        `${one}/requests`,
        {
          operation: 'listTestRequests',
          summary: 'List the requests of a test endpoint',
          description: 'The newest first. An endpoint stores its last thousand requests.',
          ...ofWorkspace,
          scopes: read,
          query: TestRequestsQuery,
          response: TestRequestsAnswer,
        },
        ({ context, params, query }) => listTestRequests(context, params.test_endpoint_id, query),
      ),
    )
    .get(
      ...guard(
        `${one}/stream`,
        {
          operation: 'streamTestRequests',
          isHeavy: true,
          summary: 'Stream the requests of a test endpoint',
          description: 'Server-sent events named `request`.',
          ...ofWorkspace,
          scopes: read,
          response: TestRequestsStream,
        },
        ({ context, params, request }) =>
          watchTestRequests(context, params.test_endpoint_id, request.headers.has('last-event-id')),
      ),
    )

/** The routes that receive requests. They need no token and do not use the error body of the API. */
function receiverRoutes(appContext: AppContext) {
  const hide = { parse: 'none' as const, detail: { hide: true } }
  const receive = createReceiver(appContext)
  return new Elysia({ name: 'receivers' })
    .all(`${HOOKS_PATH}:token`, ({ request, params }) => receive(request, tokenIn(request, params), '/'), hide)
    .all(
      `${HOOKS_PATH}:token/*`,
      ({ request, params }) => receive(request, tokenIn(request, params), `/${params['*']}`),
      hide,
    )
}

const tokenIn = (request: Request, { token }: { readonly token: string }): string =>
  requireValidParams(request, { token }).token
