/** Sending again, and sending to try. Spec: webhooks 8. */

import type { Call } from '../../../call'
import { envelope, recordOf } from '../../../delivery/match'
import { deliveryNotFound } from '../../../errors'
import type { EventBody } from '../../../events/kinds'
import { getWebhookRow } from '../get'
import { deliveryIdOf } from './get'
import type { Delivery, ReplayInput, TestInput } from './schemas'
import { findDeliveries, insertTest, sendAgain, type Again } from './store'
import { makeTestEvent } from './test-event'

const ALL: Again = { id: null, from: null, to: null, statuses: [] }

/** The same body with the same key, at once. One that still waits is sent now. Throws 404. */
export async function redeliver(call: Call, webhookId: string, deliveryId: string): Promise<Delivery> {
  const webhook = await getWebhookRow(call, webhookId)
  const id = deliveryIdOf(deliveryId)
  await sendAgain(call, webhook.id, { ...ALL, id, statuses: ['succeeded', 'failed', 'dropped', 'waiting'] })
  const [delivery] = await findDeliveries(call, webhook.id, [id])
  if (delivery === undefined) throw deliveryNotFound(deliveryId)
  return delivery
}

/** Everything of a time, or what failed in it. Answers how much that is. Throws 404. */
export async function replay(call: Call, webhookId: string, input: ReplayInput): Promise<number> {
  const webhook = await getWebhookRow(call, webhookId)
  const { from, to = null, status = 'failed' } = input
  const statuses = status === 'any' ? (['succeeded', 'failed', 'dropped'] as const) : (['failed', 'dropped'] as const)
  return sendAgain(call, webhook.id, { ...ALL, from, to, statuses })
}

/** A message of the asked kind, whatever the webhook is subscribed to. Throws 404. */
export async function sendTest(call: Call, webhookId: string, { event_type, event }: TestInput): Promise<Delivery> {
  const webhook = await getWebhookRow(call, webhookId)
  const body = event === undefined ? await makeTestEvent(call, event_type) : { ...event, event_type }
  const id = Bun.randomUUIDv7()
  const isWhole = 'id' in body && typeof body.id === 'object' && body.id !== null
  const record_id = isWhole ? recordOf(body as EventBody) /* it has the member that is read */ : null
  await insertTest(call, webhook.id, { id, event_type, record_id, body: envelope(webhook.id, JSON.stringify(body)) })
  const [delivery] = await findDeliveries(call, webhook.id, [id])
  if (delivery === undefined) throw deliveryNotFound(id)
  return delivery
}
