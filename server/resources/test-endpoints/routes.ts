import { Elysia } from 'elysia'
import { fitParams } from '../../http/guard/route-guard'
import type { Door } from '../../http/guard/route'
import type { Platform } from '../../platform'
import { receive } from './receive'
import { listTestRequests, watchTestRequests } from './requests'
import { createEndpoint, deleteEndpoint, getEndpointRow, HOOKS_PATH, renderEndpoint, updateEndpoint } from './save'
import {
  EmptyAnswer,
  TestEndpointAnswer,
  TestEndpointBody,
  TestEndpointsAnswer,
  TestRequestsAnswer,
  TestRequestsQuery,
  TestRequestsStream,
} from './schemas'
import { listEndpointRows } from './store'

const tag = 'Webhooks'
const read = ['webhook:read'] as const
const write = ['webhook:read-write'] as const
const path = '/v2/test_endpoints'
const one = `${path}/:test_endpoint_id`

/** Addresses of our own that take any request, so that webhooks can be tried with nothing deployed. */
export const testEndpointRoutes = (door: Door, platform: Platform) =>
  new Elysia({ name: 'test endpoints' })
    .use(collectionRoutes(door))
    .use(singleRoutes(door))
    .use(requestRoutes(door))
    .use(receiverRoutes(platform))

const collectionRoutes = (door: Door) =>
  new Elysia({ name: 'all test endpoints' })
    .get(
      path,
      ...door(
        {
          operation: 'listTestEndpoints',
          summary: 'List test endpoints',
          tag,
          scopes: read,
          response: TestEndpointsAnswer,
        },
        async ({ call }) => ({ data: (await listEndpointRows(call)).map((row) => renderEndpoint(call, row)) }),
      ),
    )
    .post(
      path,
      ...door(
        {
          operation: 'createTestEndpoint',
          summary: 'Make a test endpoint',
          description: 'Its `url` takes any request from anywhere and keeps it, as target of a webhook or without one.',
          tag,
          scopes: write,
          body: TestEndpointBody,
          response: TestEndpointAnswer,
        },
        async ({ call, body }) => ({ data: await createEndpoint(call, body.data) }),
      ),
    )

const singleRoutes = (door: Door) =>
  new Elysia({ name: 'one test endpoint' })
    .get(
      one,
      ...door(
        {
          operation: 'getTestEndpoint',
          summary: 'Get a test endpoint',
          tag,
          scopes: read,
          response: TestEndpointAnswer,
        },
        async ({ call, params }) => ({
          data: renderEndpoint(call, await getEndpointRow(call, params.test_endpoint_id)),
        }),
      ),
    )
    .patch(
      one,
      ...door(
        {
          operation: 'updateTestEndpoint',
          summary: 'Change what a test endpoint answers',
          tag,
          scopes: write,
          body: TestEndpointBody,
          response: TestEndpointAnswer,
        },
        async ({ call, params, body }) => ({ data: await updateEndpoint(call, params.test_endpoint_id, body.data) }),
      ),
    )
    .delete(
      one,
      ...door(
        {
          operation: 'deleteTestEndpoint',
          summary: 'Delete a test endpoint with all it received',
          tag,
          scopes: write,
          response: EmptyAnswer,
        },
        async ({ call, params }) => {
          await deleteEndpoint(call, params.test_endpoint_id)
          return {}
        },
      ),
    )

const requestRoutes = (door: Door) =>
  new Elysia({ name: 'requests at test endpoints' })
    .get(
      `${one}/requests`,
      ...door(
        {
          operation: 'listTestRequests',
          summary: 'List what a test endpoint received',
          description: 'The newest first; the last thousand are kept.',
          tag,
          scopes: read,
          query: TestRequestsQuery,
          response: TestRequestsAnswer,
        },
        ({ call, params, query }) => listTestRequests(call, params.test_endpoint_id, query),
      ),
    )
    .get(
      `${one}/stream`,
      ...door(
        {
          operation: 'streamTestRequests',
          summary: 'Watch what a test endpoint receives',
          description: 'Server-sent events named `request`.',
          tag,
          scopes: read,
          response: TestRequestsStream,
        },
        ({ call, params, request }) =>
          watchTestRequests(call, params.test_endpoint_id, request.headers.has('last-event-id')),
      ),
    )

/** Not part of the API: no token, no envelope. */
function receiverRoutes(platform: Platform) {
  const hide = { parse: 'none' as const, detail: { hide: true } }
  return new Elysia({ name: 'receivers' })
    .all(
      `${HOOKS_PATH}:token`,
      ({ request, params }) => receive(platform, request, tokenIn(request, params), '/'),
      hide,
    )
    .all(
      `${HOOKS_PATH}:token/*`,
      ({ request, params }) => receive(platform, request, tokenIn(request, params), `/${params['*']}`),
      hide,
    )
}

const tokenIn = (request: Request, { token }: { readonly token: string }): string => fitParams(request, { token }).token
