import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { requireValidParams } from '#api/http/guard/read-input'
import type { RouteGuard } from '#api/http/guard/route'
import type { AppContext, ApiContext } from '#context'
import { createReceiver } from './receive'
import { findRequests, listEndpointRows, listRequestRows, type VisibleRequest } from './store'
import { createEndpoint, deleteEndpoint, getEndpointRow, HOOKS_PATH, renderEndpoint, updateEndpoint } from './save'
import {
  TestEndpointAnswer,
  TestEndpointBody,
  TestEndpointsAnswer,
  TestRequestsAnswer,
  TestRequestsQuery,
  TestRequestsStream,
  type TestRequest,
} from './schemas'
import { serviceUnavailable } from '#base/errors/http'
import { createSubscribedSignal } from '#base/timing/wait'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'
import { cursorsFor } from '#engine/query/run/cursor'

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

// Lists and streams the requests that a test endpoint received.

/** A stream that falls behind drops the oldest requests beyond this number, which is also the number of stored ones. */
const MAX_ARRIVED = 1000
/** A request has up to 256 kB. */
const PAGE_SIZE = 20

interface TestRequestsPage {
  readonly data: TestRequest[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Lists the newest requests first. Throws 404. */
async function listTestRequests(
  context: ApiContext,
  endpointId: string,
  query: TestRequestsQuery,
): Promise<TestRequestsPage> {
  const { id } = await getEndpointRow(context, endpointId)
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: `requests at ${id}` }, query)
  const [before = query.before ?? null] = cursor === undefined ? [] : cursors.decode(cursor)
  const found = await listRequestRows(context, id, { limit: limit + 1, before })
  const data = found.slice(0, limit).map(({ request }) => request)
  const last = data.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.test_request_id]) : null
  return { data, pagination: { next_cursor } }
}

/** Each message is one request. A client that reconnects (`isReconnect`) gets the newest requests again. Throws 404. */
async function watchTestRequests(context: ApiContext, endpointId: string, isReconnect: boolean): Promise<EventStream> {
  const { id } = await getEndpointRow(context, endpointId)
  return new EventStream((signal, renew) => follow(context, id, isReconnect, signal, renew))
}

async function* follow(
  context: ApiContext,
  endpointId: string,
  isReconnect: boolean,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { events } = context
  if (events === undefined) throw serviceUnavailable(new Date(Date.now() + 1000))
  let arrived: string[] = []
  const subscribe = (wake: () => void) =>
    events.streams.subscribe(endpointId, (ids) => {
      arrived = [...arrived, ...ids].slice(-MAX_ARRIVED)
      wake()
    })
  const wakeSignal = createSubscribedSignal(subscribe, signal)
  try {
    const newest = isReconnect ? await listRequestRows(context, endpointId, { limit: 50, before: null }) : []
    for (const request of newest.toReversed()) yield message(request)
    while (!signal.aborted) {
      await wakeSignal.wait()
      while (arrived.length > 0 && !signal.aborted) {
        const ids = arrived.splice(0, PAGE_SIZE)
        // The caller's access can have changed since the stream began.
        const current = await renew()
        if (current === undefined) return
        for (const request of await findRequests(current, endpointId, ids)) yield message(request)
      }
    }
  } finally {
    wakeSignal.close()
  }
}

const message = ({ request, isVisible }: VisibleRequest): StreamMessage => ({
  id: request.test_request_id,
  event: 'request',
  data: JSON.stringify(request),
  isVisible,
})
