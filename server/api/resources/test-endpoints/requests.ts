/** Lists and streams the requests that a test endpoint received. */

import type { ApiContext } from '#context'
import { serviceUnavailable } from '#base/errors/http'
import { createSubscribedSignal } from '#base/timing/wait'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'
import { cursorsFor } from '#engine/query/run/cursor'
import { getEndpointRow } from './save'
import type { TestRequest, TestRequestsQuery } from './schemas'
import { findRequests, listRequestRows, type VisibleRequest } from './store'

/** A stream that falls behind drops the oldest requests beyond this number, which is also the number of stored ones. */
const MAX_ARRIVED = 1000
/** A request has up to 256 kB. */
const PAGE_SIZE = 20

interface TestRequestsPage {
  readonly data: TestRequest[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Lists the newest requests first. Throws 404. */
export async function listTestRequests(
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
export async function watchTestRequests(
  context: ApiContext,
  endpointId: string,
  isReconnect: boolean,
): Promise<EventStream> {
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
