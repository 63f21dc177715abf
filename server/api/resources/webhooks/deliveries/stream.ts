/** Streams the deliveries of a webhook. */

import type { ApiContext } from '#context'
import { serviceUnavailable } from '#base/errors/http'
import { createSubscribedSignal } from '#base/timing/wake-signal'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'
import { createLru } from '#base/caching/caching'
import { getWebhookRow } from '#api/resources/webhooks/read'
import { timestampFromMicros } from '#base/timing/clock'
import { findDeliveries, listDeliveryRows, listNewDeliveries, type VisibleDelivery } from './store'

/** A client that reconnects gets the newest deliveries again, because it may have missed some of them. */
const REPEATED = 50
const PAGE_SIZE = 200
/** A client that reads too slowly misses the oldest attempts beyond these. */
const MAX_ATTEMPTED = 10_000
/** The stream reads the deliveries of a busy webhook at most once in this time. */
const COLLECT_MS = 100
/** A delivery becomes visible at most this long after its `created_at`. */
const MAX_COMMIT_DELAY_MICROS = 60_000_000

/**
 * Each message is one delivery, when it is created and after each attempt. A later message replaces an earlier one of the
 * same delivery. Throws 404.
 */
export async function watchDeliveries(
  context: ApiContext,
  webhookId: string,
  isReconnect: boolean,
): Promise<EventStream> {
  const { id } = await getWebhookRow(context, webhookId)
  return new EventStream((signal, renew) => follow(context, id, isReconnect, signal, renew))
}

async function* follow(
  context: ApiContext,
  webhookId: string,
  isReconnect: boolean,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { events, model } = context
  if (events === undefined) throw serviceUnavailable(new Date(Date.now() + 1000))
  const attempted = createLru<string, true>(MAX_ATTEMPTED)
  const subscribe = (wake: () => void) => {
    const stopAttempts = events.streams.subscribe(webhookId, (ids) => {
      for (const id of ids) attempted.set(id, true)
      wake()
    })
    // Every published event may cause deliveries.
    const stopEvents = events.hub.subscribe(model.workspace.id, wake)
    return () => (stopAttempts(), stopEvents())
  }
  const wakeSignal = createSubscribedSignal(subscribe, signal)
  const findNew = newDeliveriesOf(context, webhookId)
  try {
    if (isReconnect) yield* newest(context, webhookId)
    while (!signal.aborted) {
      await wakeSignal.wait()
      const current = await renew()
      if (current === undefined) return
      for (const delivery of await findNew(current)) yield message(delivery)
      while (attempted.size > 0 && !signal.aborted) {
        const ids = [...attempted.keys()].slice(0, PAGE_SIZE)
        for (const id of ids) attempted.delete(id)
        // The caller's access can have changed while the client read the messages before.
        const latest = await renew()
        if (latest === undefined) return
        for (const delivery of await findDeliveries(latest, webhookId, ids)) yield message(delivery)
      }
      await pause(COLLECT_MS, signal)
    }
  } finally {
    wakeSignal.close()
  }
}

async function* newest(context: ApiContext, webhookId: string): AsyncGenerator<StreamMessage> {
  const rows = await listDeliveryRows(context, webhookId, { limit: REPEATED, before: null })
  for (const delivery of rows.toReversed()) yield message(delivery)
}

/** The returned function finds the deliveries created since its last call, at most the newest `PAGE_SIZE`, the oldest first. */
function newDeliveriesOf({ now }: ApiContext, webhookId: string): (context: ApiContext) => Promise<VisibleDelivery[]> {
  const opened = now()
  let last: string | null = null
  return async (context) => {
    const since = timestampFromMicros(Math.max(opened, now() - MAX_COMMIT_DELAY_MICROS))
    const found = await listNewDeliveries(context, webhookId, { since, after: last, limit: PAGE_SIZE })
    last = found.at(-1)?.delivery.delivery_id ?? last
    return found
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await Bun.sleep(ms)
}

const message = ({ delivery, isVisible }: VisibleDelivery): StreamMessage => ({
  id: delivery.delivery_id,
  event: 'delivery',
  data: JSON.stringify(delivery),
  isVisible,
})
