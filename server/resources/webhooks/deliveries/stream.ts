/** A webhook's deliveries as they happen. */

import type { Call } from '../../../call'
import { unavailable } from '../../../errors'
import { createAlarm, EventStream, type StreamMessage } from '../../../http/event-stream'
import { getWebhookRow } from '../get'
import { findDeliveries, listDeliveryRows } from './store'

/** Those who come back are told again what is newest, since they may have missed some of it. */
const TOLD_AGAIN = 50
const MOST_AT_ONCE = 200

/** Each message is one delivery, whenever it was attempted; a later one of the same delivery replaces it. Throws 404. */
export async function watchDeliveries(call: Call, webhookId: string, isBack: boolean): Promise<EventStream> {
  const { id } = await getWebhookRow(call, webhookId)
  return new EventStream((signal) => follow(call, id, isBack, signal))
}

async function* follow(
  call: Call,
  webhookId: string,
  isBack: boolean,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const { events } = call
  if (events === undefined) throw unavailable(new Date(Date.now() + 1000))
  const changed = new Set<string>()
  const subscribe = (ring: () => void) =>
    events.watched.subscribe(webhookId, (ids) => {
      for (const id of ids) changed.add(id)
      ring()
    })
  const alarm = createAlarm(subscribe, signal)
  try {
    if (isBack) {
      const newest = await listDeliveryRows(call, webhookId, { limit: TOLD_AGAIN, before: null })
      for (const delivery of newest.toReversed()) yield message(delivery)
    }
    while (!signal.aborted) {
      await alarm.wait()
      while (changed.size > 0 && !signal.aborted) {
        const ids = [...changed].slice(0, MOST_AT_ONCE)
        for (const id of ids) changed.delete(id)
        for (const delivery of await findDeliveries(call, webhookId, ids)) yield message(delivery)
      }
    }
  } finally {
    alarm.close()
  }
}

const message = (delivery: { readonly delivery_id: string }): StreamMessage => ({
  id: delivery.delivery_id,
  event: 'delivery',
  data: JSON.stringify(delivery),
})
