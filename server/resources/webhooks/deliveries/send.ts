/** Sending again, and sending to try. Spec: webhooks 8. */

import type { Call } from '../../../call'
import { envelope, recordOf } from '../../../delivery/match'
import { deliveryNotFound } from '../../../errors'
import type { Subscription } from '../../../delivery/subscription'
import type { EventBody, EventType } from '../../../events/kinds'
import { newId } from '../../../ids'
import { getWebhookRow } from '../get'
import { deliveryIdOf } from './get'
import type { Delivery, ReplayInput, TestInput } from './schemas'
import { findDeliveries, insertTest, sendAgain, type Again } from './store'
import { makeTestEvent } from './test-event'
import { testText } from './test-values'

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
  const { text, record_id } =
    event === undefined ? await madeUp(call, webhook.subscriptions, event_type) : asWritten({ ...event, event_type })
  const id = newId()
  await insertTest(call, webhook.id, { id, event_type, record_id, body: envelope(webhook.id, text) })
  const [delivery] = await findDeliveries(call, webhook.id, [id])
  if (delivery === undefined) throw deliveryNotFound(id)
  return delivery
}

interface TestMessage {
  readonly text: string
  readonly record_id: string | null
}

async function madeUp(call: Call, subscriptions: readonly Subscription[], eventType: EventType): Promise<TestMessage> {
  const event = await makeTestEvent(call, eventType)
  return { text: await testText(call, subscriptions, event), record_id: recordOf(event) }
}

function asWritten(event: Readonly<Record<string, unknown>>): TestMessage {
  const isWhole = typeof event.id === 'object' && event.id !== null
  const record_id = isWhole ? recordOf(event as unknown as EventBody) /* it has the member that is read */ : null
  return { text: JSON.stringify(event), record_id }
}
