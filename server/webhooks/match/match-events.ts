/**
 * Matches events with the subscriptions of webhooks, in the transaction that publishes the events. Each webhook with a
 * matching subscription gets one delivery for an event.
 * See docs/reference/webhooks-and-events.md (Subscription filters).
 */

import type { Transaction } from '../../../db/connect'
import { settleAll } from '../../events/settle-all'
import type { PublishedEvent } from '../../events/publish'
import { namesHidden } from '../../data-model/access/hidden'
import { modelOfViewer } from '../../data-model/access/member-model'
import type { DataModel } from '../../data-model/model'
import { newId } from '../../ids'
import { isVisible, listIdOf, subjectOf } from '../../events/visibility'
import type { InsertedDeliveries } from '../delivery'
import type { PublishingWorker } from '../queue/lease'
import { insertDeliveries, type NewDelivery } from './insert-deliveries'
import { isSubscribed } from './subscription'
import { includesValues, visibleValues, withValues } from './include-values'
import { findModelsWithGrants } from './workspace-models'
import { findListAccess, listActiveWebhooks, type ActiveWebhook } from './webhook-viewers'

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
  const found = [
    listActiveWebhooks(tx, workspaceIds),
    findListAccess(tx, workspaceIds, listIds),
    findModelsWithGrants(tx, workspaceIds),
  ] as const
  await settleAll(found)
  const [webhooks, lists, models] = await Promise.all(found)
  const byWorkspace = Map.groupBy(webhooks, ({ workspaceId }) => workspaceId)
  const deliveries = events.flatMap((event) => {
    const model = models.get(event.workspaceId)
    return (byWorkspace.get(event.workspaceId) ?? []).flatMap((webhook) => {
      if (!isSubscribed(webhook.subscriptions, event.body)) return []
      const viewers = webhook.viewers.filter((viewer) =>
        isVisible(viewer, subjectOf(event.body), (id) => lists.get(id)),
      )
      const seenAs = viewers.map((viewer) => model && modelOfViewer(model, viewer))
      const seeing = seenAs.filter((own) => own === undefined || !namesHidden(own, event.text))
      return seeing.length === 0 ? [] : [deliveryOf(event, webhook, seeing)]
    })
  })
  return deliveries.length === 0 ? [] : insertDeliveries(tx, deliveries, worker)
}

/** The models of the viewers who may see an event; undefined for a viewer who sees all objects. */
type ModelsOfViewers = readonly (DataModel | undefined)[]

const deliveryOf = (event: PublishedEvent, webhook: ActiveWebhook, seenAs: ModelsOfViewers): NewDelivery => ({
  workspace_id: event.workspaceId,
  webhook_id: webhook.id,
  id: newId(),
  position: event.position,
  event_id: event.id,
  event_type: event.body.event_type,
  record_id: recordIdOf(event.body),
  list_id: listIdOf(event.body),
  idempotency_key: newId(),
  body: envelope(webhook.id, eventText(webhook, event, seenAs)),
  created_at: event.recordedAt,
})

/** Has values when a matching subscription includes them. */
function eventText(
  { subscriptions }: ActiveWebhook,
  { text, body, values }: PublishedEvent,
  seenAs: ModelsOfViewers,
): string {
  const withInclude = subscriptions.filter(includesValues)
  if (withInclude.length === 0 || !isSubscribed(withInclude, body)) return text
  return withValues(text, values && visibleValues(values, seenAs))
}

/**
 * The body of a delivery. Its list has one event.
 * See docs/reference/webhooks-and-events.md (The delivery request).
 */
export const envelope = (webhookId: string, event: string): string =>
  `{"webhook_id":"${webhookId}","events":[${event}]}`

/** The id of the record that an event names, or of the parent record. */
export function recordIdOf({ id, ...members }: PublishedEvent['body']): string | null {
  const { record_id, parent_record_id } = members
  return id.record_id ?? textOf(parent_record_id) ?? textOf(record_id) ?? null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
