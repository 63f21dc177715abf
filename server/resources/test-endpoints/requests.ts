/** What a test endpoint received: a page of it, and as it comes. */

import type { RequestContext } from '../../call'
import { serviceUnavailable } from '../../errors/errors'
import { createAlarm, EventStream, type Renew, type StreamMessage } from '../../http/response/event-stream'
import { cursorsFor } from '../../query/run/cursor'
import { getEndpointRow } from './save'
import type { TestRequest, TestRequestsQuery } from './schemas'
import { findRequests, listRequestRows } from './store'

/** As many as are kept of an endpoint; of those that arrived the newest. */
const MOST_ARRIVED = 1000
/** A request is kept with up to 256 kB. */
const AT_ONCE = 20

export interface TestRequestsPage {
  readonly data: TestRequest[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** The newest first. Throws 404. */
export async function listTestRequests(
  context: RequestContext,
  endpointId: string,
  query: TestRequestsQuery,
): Promise<TestRequestsPage> {
  const { id } = await getEndpointRow(context, endpointId)
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: `requests at ${id}` }, query)
  const [before = query.before ?? null] = cursor === undefined ? [] : cursors.decode(cursor)
  const found = await listRequestRows(context, id, { limit: limit + 1, before })
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.test_request_id]) : null
  return { data, pagination: { next_cursor } }
}

/** Each message is one request, when it was answered; those who come back get the newest again. Throws 404. */
export async function watchTestRequests(
  context: RequestContext,
  endpointId: string,
  isBack: boolean,
): Promise<EventStream> {
  const { id } = await getEndpointRow(context, endpointId)
  return new EventStream((signal, renew) => follow(context, id, isBack, signal, renew))
}

async function* follow(
  context: RequestContext,
  endpointId: string,
  isBack: boolean,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { events } = context
  if (events === undefined) throw serviceUnavailable(new Date(Date.now() + 1000))
  let arrived: string[] = []
  const subscribe = (ring: () => void) =>
    events.watched.subscribe(endpointId, (ids) => {
      arrived = [...arrived, ...ids].slice(-MOST_ARRIVED)
      ring()
    })
  const alarm = createAlarm(subscribe, signal)
  try {
    const newest = isBack ? await listRequestRows(context, endpointId, { limit: 50, before: null }) : []
    for (const request of newest.toReversed()) yield message(request)
    while (!signal.aborted) {
      await alarm.wait()
      while (arrived.length > 0 && !signal.aborted) {
        const ids = arrived.splice(0, AT_ONCE)
        // What may be seen can have changed since the stream began.
        const current = await renew()
        if (current === undefined) return
        for (const request of await findRequests(current, endpointId, ids)) yield message(request)
      }
    }
  } finally {
    alarm.close()
  }
}

const message = (request: TestRequest): StreamMessage => ({
  id: request.test_request_id,
  event: 'request',
  data: JSON.stringify(request),
})
