/**
 * Makes deliveries of events, in the transaction that publishes them: for each webhook that wants one, once.
 * See docs/reference/webhooks-and-events.md (Subscription filters).
 */

import type { Transaction } from '../../../db/connect'
import { sendTogether } from '../../events/send-together'
import type { PublishedEvent } from '../../events/publish'
import { newId } from '../../ids'
import { isVisible, listIdOf, subjectOf } from '../../events/visibility'
import { insertDeliveries, type Made, type NewDelivery, type Taker } from './insert-deliveries'
import { isSubscribed } from './subscription'
import { asksForValues, withValues } from './include-values'
import { findListAccess, listActiveWebhooks, type WatchingWebhook } from './webhook-viewers'

/** A process that does not send. */
const NOBODY: Taker = { name: '00000000-0000-0000-0000-000000000000', room: 0, now: 0 }

/** A webhook is told what whoever it belongs to may see now. */
export async function matchEvents(
  tx: Transaction,
  events: readonly PublishedEvent[],
  taker: Taker = NOBODY,
): Promise<Made[]> {
  const workspaceIds = [...new Set(events.map(({ workspaceId }) => workspaceId))]
  const listIds = [...new Set(events.flatMap(({ body }) => listIdOf(body) ?? []))]
  // Sent at once, since neither needs the other's answer.
  const found = [listActiveWebhooks(tx, workspaceIds), findListAccess(tx, workspaceIds, listIds)] as const
  await sendTogether(found)
  const [webhooks, lists] = await Promise.all(found)
  const byWorkspace = Map.groupBy(webhooks, ({ workspaceId }) => workspaceId)
  const wants = ({ subscriptions, viewers }: WatchingWebhook, { body }: PublishedEvent) =>
    isSubscribed(subscriptions, body) &&
    viewers.some((viewer) => isVisible(viewer, subjectOf(body), (id) => lists.get(id)))
  const deliveries = events.flatMap((event) =>
    (byWorkspace.get(event.workspaceId) ?? [])
      .filter((webhook) => wants(webhook, event))
      .map((webhook) => deliveryOf(event, webhook)),
  )
  return deliveries.length === 0 ? [] : insertDeliveries(tx, deliveries, taker)
}

const deliveryOf = (event: PublishedEvent, webhook: WatchingWebhook): NewDelivery => ({
  workspace_id: event.workspaceId,
  webhook_id: webhook.id,
  id: newId(),
  position: event.position,
  event_id: event.id,
  event_type: event.body.event_type,
  record_id: recordOf(event.body),
  list_id: listIdOf(event.body),
  idempotency_key: newId(),
  body: envelope(webhook.id, toldTo(webhook, event)),
  created_at: event.recordedAt,
})

/** With values where a subscription that it fits asks for them. */
function toldTo({ subscriptions }: WatchingWebhook, { text, body, values }: PublishedEvent): string {
  const asking = subscriptions.filter(asksForValues)
  if (asking.length === 0 || !isSubscribed(asking, body)) return text
  return withValues(text, values)
}

/**
 * What is sent of an event. Today one event goes in each.
 * See docs/reference/webhooks-and-events.md (The delivery request).
 */
export const envelope = (webhookId: string, event: string): string =>
  `{"webhook_id":"${webhookId}","events":[${event}]}`

/** The record an event is about, itself or by its parent. */
export function recordOf({ id, ...members }: PublishedEvent['body']): string | null {
  const { record_id, parent_record_id } = members
  return id.record_id ?? textOf(parent_record_id) ?? textOf(record_id) ?? null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
