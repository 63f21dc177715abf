/** A webhook's deliveries as they happen. */

import type { RequestContext } from '../../../call'
import { serviceUnavailable } from '../../../errors/errors'
import { createSubscribedSignal } from '../../../timing/wake-signal'
import { EventStream, type Renew, type StreamMessage } from '../../../http/response/event-stream'
import { createLru } from '../../../caching/lru'
import { getWebhookRow } from '../get'
import { timestampFromMicros } from '../../../timing/clock'
import type { Delivery } from './schemas'
import { findDeliveries, listDeliveryRows, listMadeDeliveries } from './store'

/** Those who come back are told again what is newest, since they may have missed some of it. */
const TOLD_AGAIN = 50
const MOST_AT_ONCE = 200
/** A client that reads too slowly misses the oldest attempts beyond these. */
const MOST_ATTEMPTED = 10_000
/** So long what happens gathers: however busy a webhook is, it is looked at a few times a second. */
const GATHER_MS = 100
/** Deliveries may be found so much later than they say they were made. */
const LATE_MICROS = 60_000_000

/**
 * Each message is one delivery: once it is made, and whenever it was attempted; a later one of the same delivery replaces
 * it. Throws 404.
 */
export async function watchDeliveries(
  context: RequestContext,
  webhookId: string,
  isBack: boolean,
): Promise<EventStream> {
  const { id } = await getWebhookRow(context, webhookId)
  return new EventStream((signal, renew) => follow(context, id, isBack, signal, renew))
}

async function* follow(
  context: RequestContext,
  webhookId: string,
  isBack: boolean,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { events, model } = context
  if (events === undefined) throw serviceUnavailable(new Date(Date.now() + 1000))
  const attempted = createLru<string, true>(MOST_ATTEMPTED)
  const subscribe = (wake: () => void) => {
    const stopAttempts = events.streams.subscribe(webhookId, (ids) => {
      for (const id of ids) attempted.set(id, true)
      wake()
    })
    // Whatever is published may have made deliveries.
    const stopEvents = events.hub.subscribe(model.workspace.id, wake)
    return () => (stopAttempts(), stopEvents())
  }
  const wakeSignal = createSubscribedSignal(subscribe, signal)
  const findMade = makingOf(context, webhookId)
  try {
    if (isBack) yield* newest(context, webhookId)
    while (!signal.aborted) {
      await wakeSignal.wait()
      // What may be seen can have changed since the stream began.
      const current = await renew()
      if (current === undefined) return
      for (const delivery of await findMade(current)) yield message(delivery)
      while (attempted.size > 0 && !signal.aborted) {
        const ids = [...attempted.keys()].slice(0, MOST_AT_ONCE)
        for (const id of ids) attempted.delete(id)
        for (const delivery of await findDeliveries(current, webhookId, ids)) yield message(delivery)
      }
      await pause(GATHER_MS, signal)
    }
  } finally {
    wakeSignal.close()
  }
}

async function* newest(context: RequestContext, webhookId: string): AsyncGenerator<StreamMessage> {
  const rows = await listDeliveryRows(context, webhookId, { limit: TOLD_AGAIN, before: null })
  for (const delivery of rows.toReversed()) yield message(delivery)
}

/** Finds what was made since it was asked last, the oldest first; of very many the newest alone. */
function makingOf({ now }: RequestContext, webhookId: string): (context: RequestContext) => Promise<Delivery[]> {
  const opened = now()
  let last: string | null = null
  return async (context) => {
    const since = timestampFromMicros(Math.max(opened, now() - LATE_MICROS))
    const made = await listMadeDeliveries(context, webhookId, { since, after: last, limit: MOST_AT_ONCE })
    last = made.at(-1)?.delivery_id ?? last
    return made
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await Bun.sleep(ms)
}

const message = (delivery: { readonly delivery_id: string }): StreamMessage => ({
  id: delivery.delivery_id,
  event: 'delivery',
  data: JSON.stringify(delivery),
})
