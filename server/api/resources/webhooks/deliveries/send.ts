/** Sends deliveries again, and sends test events. See docs/reference/webhooks-and-events.md (Deliveries). */

import { eventsVisibleTo, listAccess, maySee } from '#access/list-access/list-access'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { namesHidden } from '#engine/data-model/access/hidden'
import { modelOfViewer } from '#engine/data-model/access/member-model'
import type { Viewer } from '#engine/data-model/viewer'
import { recordIdOfEvent } from '#events/webhooks/match/match-events'
import { envelope } from '#events/webhooks/match/render-event'
import { findWebhookAccess, type WebhookAccess } from '#events/webhooks/match/webhook-viewers'
import { deliveryNotFound, deliveryWithheld, webhookNotFound } from '#base/errors/webhooks'
import type { ChangeEventBody, EventType } from '#vocabulary/event-types'
import { newId } from '#base/ids'
import { listIdOf, scopesToRead } from '#events/feed/visibility'
import { scopesRequired } from '#base/errors/access'
import { getSendingWebhookRow } from '#api/resources/webhooks/read'
import { deliveryIdOf } from './read'
import type { Delivery, ReplayInput, TestInput } from './schemas'
import {
  findDeliveries,
  getMadeTest,
  insertTestDelivery,
  mayGetEvent,
  redeliverRows,
  type RedeliverySelection,
  type WebhookWithAccess,
} from './store'
import { makeTestEvent, type MayName } from './test-event'
import { entityTypeOf } from '#engine/data-model/find'
import { includesValues, type Subscription, withValues } from '#events/webhooks/match/subscription'
import { readActive } from '#engine/storage/history'
import { compileValues } from '#engine/entities/read/render'

const ALL: RedeliverySelection = { id: null, from: null, to: null, statuses: [] }

/**
 * Sends the same body with the same key now, also when the delivery is still pending. Throws 404, and 403 when the caller
 * is a client and the webhook is not its own, or when the webhook may not get the event any more.
 */
export async function redeliver(context: ApiContext, webhookId: string, deliveryId: string): Promise<Delivery> {
  const webhook = await getSendingWebhookRow(context, webhookId)
  const id = deliveryIdOf(deliveryId)
  const withAccess = await accessNow(context, webhook.id)
  const found = await findDelivery(context, webhook.id, id)
  if (found === undefined) throw deliveryNotFound(deliveryId)
  if (!(await mayGetEvent(context, withAccess, id))) throw deliveryWithheld()
  await redeliverRows(context, withAccess, { ...ALL, id, statuses: ['succeeded', 'failed', 'dropped', 'waiting'] })
  return (await findDelivery(context, webhook.id, id)) ?? found
}

async function findDelivery(context: ApiContext, webhookId: string, id: string): Promise<Delivery | undefined> {
  return (await findDeliveries(context, webhookId, [id]))[0]?.delivery
}

/** Sends the deliveries of a period again whose events both the caller and the webhook may see. Returns their number. Throws 404. */
export async function replay(context: ApiContext, webhookId: string, input: ReplayInput): Promise<number> {
  const webhook = await getSendingWebhookRow(context, webhookId)
  const { from, to = null, status = 'failed' } = input
  const statuses = status === 'any' ? (['succeeded', 'failed', 'dropped'] as const) : (['failed', 'dropped'] as const)
  return redeliverRows(context, await accessNow(context, webhook.id), { ...ALL, from, to, statuses })
}

async function accessNow(context: ApiContext, id: string): Promise<WebhookWithAccess> {
  const { viewers } = await getAccess(context, id)
  return { id, visible: viewers.map((viewer) => eventsVisibleTo(viewer, modelOfViewer(context.model, viewer))) }
}

/** Throws 404 when the webhook was deleted meanwhile. */
async function getAccess(context: ApiContext, webhookId: string): Promise<WebhookAccess> {
  const access = await findWebhookAccess(context.db.sql, context.model.workspace.id, webhookId)
  if (access === undefined) throw webhookNotFound(webhookId)
  return access
}

/** Sends a test event of any type, also without a subscription to it. Throws 404, and 403 when the caller may not read such events. */
export async function sendTest(
  context: ApiContext,
  webhookId: string,
  { event_type, event }: TestInput,
): Promise<Delivery> {
  const webhook = await getSendingWebhookRow(context, webhookId)
  refuseUnreadable(context, event_type)
  const access = await getAccess(context, webhook.id)
  const testEvent =
    event === undefined
      ? await generatedEvent(context, access, event_type)
      : eventOfCaller(context, { ...event, event_type })
  const { text, ...names } = testEvent
  const id = newId()
  const body = envelope(webhook.id, text)
  await insertTestDelivery(context, webhook.id, { id, event_type, ...names, body, rights: access.rights })
  return getMadeTest(context, webhook.id, id)
}

/** A test event requires the scopes that its event type requires in the feed. */
function refuseUnreadable(context: ApiContext, event_type: EventType): void {
  if (maySee(context, { event_type, listId: null })) return
  throw scopesRequired(scopesToRead(event_type))
}

interface TestEvent {
  readonly text: string
  readonly record_id: string | null
  readonly list_id: string | null
}

/** Makes an event that names only what both the caller and the webhook may see. */
async function generatedEvent(
  context: ApiContext,
  { viewers, subscriptions }: WebhookAccess,
  event_type: EventType,
): Promise<TestEvent> {
  const isVisibleToBoth = (listId: string | null): boolean => {
    const subject = { event_type, listId }
    return maySee(context, subject) && viewers.some((viewer) => maySee(context, subject, viewer))
  }
  const isHiddenFrom = (viewer: Viewer, text: string) => namesHidden(modelOfViewer(context.model, viewer), text)
  const make = async (mayName: MayName) => {
    const event = await makeTestEvent(context, event_type, mayName)
    return { event, text: await testText(context, subscriptions, event) }
  }
  const made = await make(isVisibleToBoth)
  const isHidden = namesHidden(context.model, made.text) || viewers.every((viewer) => isHiddenFrom(viewer, made.text))
  const { event, text } = isHidden ? await make(() => false) : made
  return { text, record_id: recordIdOfEvent(event), list_id: visibleListId(context, event) }
}

function eventOfCaller(context: ApiContext, event: Readonly<Record<string, unknown>>): TestEvent {
  const hasId = typeof event.id === 'object' && event.id !== null
  if (!hasId) return { text: JSON.stringify(event), record_id: null, list_id: null }
  const body = event as unknown as ChangeEventBody // only its ids are read, and `id` is an object
  const record_id: unknown = recordIdOfEvent(body)
  return {
    text: JSON.stringify(event),
    record_id: typeof record_id === 'string' && isUuid(record_id) ? record_id : null,
    list_id: visibleListId(context, body),
  }
}

/** The list that an event names, if the caller sees the list. Other ids do not restrict who sees the delivery. */
function visibleListId(context: ApiContext, body: ChangeEventBody): string | null {
  const listId = listIdOf(body)
  const entityType = context.model.entityTypesById.get(listId ?? '')
  return entityType?.kind === 'list' && listAccess(context, entityType) !== undefined ? listId : null
}

// Adds the current values of the attribute to test events, as new values.
// See docs/reference/webhooks-and-events.md (Deliveries, Values in events).

/** The JSON text of an event, with values when a subscription to its type includes them. */
async function testText(
  context: ApiContext,
  subscriptions: readonly Subscription[],
  event: ChangeEventBody,
): Promise<string> {
  const text = JSON.stringify(event)
  const hasInclude = subscriptions.some((each) => each.event_type === event.event_type && includesValues(each))
  if (!hasInclude) return text
  const values = await activeValues(context, event.id)
  return withValues(text, values === undefined ? undefined : { previous: '[]', new: values })
}

/** Undefined when the entity does not exist, and for entries of private lists. */
async function activeValues({ model, db }: ApiContext, id: ChangeEventBody['id']): Promise<string | undefined> {
  const attribute = model.attributesById.get(id.attribute_id ?? '')
  const entityId = id.record_id ?? id.entry_id
  if (attribute === undefined || entityId === undefined) return undefined
  const entityType = entityTypeOf(model, attribute)
  if (entityType.kind === 'list' && entityType.workspace_access === null) return undefined
  const versions = await readActive(db.sql, model, entityType, attribute, entityId)
  return versions && compileValues(attribute, model)(versions)
}
