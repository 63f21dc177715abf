/**
 * Matches events with the subscriptions of webhooks, in the transaction that publishes the events. Each webhook with a
 * matching subscription gets one delivery for an event.
 * See docs/reference/webhooks-and-events.md (Subscription filters).
 */

import type { Transaction } from '#db/connect'
import { settleAll } from '#events/feed/settle-all'
import type { PublishedEvent } from '#events/feed/publish'
import { newId } from '#base/ids'
import { listIdOf, subjectOf } from '#events/feed/visibility'
import type { InsertedDeliveries } from '#events/webhooks/delivery'
import type { PublishingWorker } from '#events/webhooks/queue/lease'
import { insertDeliveries, type NewDelivery } from './insert-deliveries'
import { envelope, eventText, readAccessSettings, visibleEvent } from './render-event'
import { isSubscribed } from './subscription'
import { listActiveWebhooks, type WebhookAccess } from './webhook-viewers'

/** A process without a delivery worker. */
const NO_WORKER: PublishingWorker = { name: '00000000-0000-0000-0000-000000000000', freeSlots: 0, now: 0 }

/** A webhook gets only events that its viewers may see now. */
export async function matchEvents(
  tx: Transaction,
  events: readonly PublishedEvent[],
  worker: PublishingWorker = NO_WORKER,
): Promise<InsertedDeliveries[]> {
  const workspaceIds = [...new Set(events.map(({ workspaceId }) => workspaceId))]
  const listIds = [...new Set(events.flatMap(({ body }) => listIdOf(body) ?? []))]
  // No statement needs the result of another, so all are sent together.
  const found = [listActiveWebhooks(tx, workspaceIds), readAccessSettings(tx, workspaceIds, listIds)] as const
  await settleAll(found)
  const [webhooks, settings] = await Promise.all(found)
  const byWorkspace = Map.groupBy(webhooks, ({ workspaceId }) => workspaceId)
  const matched = new Map<string, WebhookAccess>()
  const deliveries = events.flatMap((event) => {
    const { workspaceId, body, text, values } = event
    const rendered = { subject: subjectOf(body), text, values }
    return (byWorkspace.get(workspaceId) ?? []).flatMap((webhook) => {
      if (!isSubscribed(webhook.subscriptions, body)) return []
      const visible = visibleEvent(webhook, rendered, settings)
      if (visible === undefined) return []
      matched.set(webhook.id, webhook)
      return [deliveryOf(event, webhook, eventText(webhook, body, text, visible))]
    })
  })
  return deliveries.length === 0 ? [] : insertDeliveries(tx, deliveries, matched, worker)
}

const deliveryOf = (event: PublishedEvent, webhook: WebhookAccess, text: string): NewDelivery => ({
  workspace_id: event.workspaceId,
  webhook_id: webhook.id,
  id: newId(),
  position: event.position,
  event_id: event.id,
  event_type: event.body.event_type,
  record_id: recordIdOfEvent(event.body),
  list_id: listIdOf(event.body),
  idempotency_key: newId(),
  body: envelope(webhook.id, text),
  created_at: event.recordedAt,
})

/** The id of the record that an event names, or of the parent record. */
export function recordIdOfEvent({ id, ...members }: PublishedEvent['body']): string | null {
  const { record_id, parent_record_id } = members
  return id.record_id ?? textOf(parent_record_id) ?? textOf(record_id) ?? null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
