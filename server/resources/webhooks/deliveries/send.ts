/** Sending again, and sending to try. See docs/reference/webhooks-and-events.md (Deliveries). */

import { isList, listAccess } from '../../../access/list-access/list-access'
import { maySee } from '../../../access/list-access/visible-events'
import { isUuid } from '../../../attribute-types/formats/uuids'
import type { RequestContext } from '../../../call'
import { envelope, recordOf } from '../../../webhooks/match/match-events'
import type { Subscription } from '../../../webhooks/match/subscription'
import { findViewers } from '../../../webhooks/match/webhook-viewers'
import { deliveryNotFound, deliveryWithheld, missingScopes } from '../../../errors/errors'
import type { ChangeEventBody, EventType } from '../../../events/event-types'
import { newId } from '../../../ids'
import { listIdOf, scopesToRead, visibleEvents } from '../../../events/visibility'
import { describeScope } from '../../../scopes'
import { getWebhookRow } from '../get'
import { deliveryIdOf } from './get'
import type { Delivery, ReplayInput, TestInput } from './schemas'
import { findDeliveries, insertTest, mayBeTold, sendAgain, type Again, type OutboxRows } from './store'
import { makeTestEvent } from './test-event'
import { testText } from './test-values'

const ALL: Again = { id: null, from: null, to: null, statuses: [] }

/** The same body with the same key, at once. One that still waits is sent now. Throws 404, and 403 for what the webhook may not be told any more. */
export async function redeliver(context: RequestContext, webhookId: string, deliveryId: string): Promise<Delivery> {
  const webhook = await getWebhookRow(context, webhookId)
  const id = deliveryIdOf(deliveryId)
  const told = await toldNow(context, webhook.id)
  const [found] = await findDeliveries(context, webhook.id, [id])
  if (found === undefined) throw deliveryNotFound(deliveryId)
  if (!(await mayBeTold(context, told, id))) throw deliveryWithheld()
  await sendAgain(context, told, { ...ALL, id, statuses: ['succeeded', 'failed', 'dropped', 'waiting'] })
  const [delivery] = await findDeliveries(context, webhook.id, [id])
  return delivery ?? found
}

/** Everything of a time, or what failed in it, that both caller and webhook may see still. Answers how much that is. Throws 404. */
export async function replay(context: RequestContext, webhookId: string, input: ReplayInput): Promise<number> {
  const webhook = await getWebhookRow(context, webhookId)
  const { from, to = null, status = 'failed' } = input
  const statuses = status === 'any' ? (['succeeded', 'failed', 'dropped'] as const) : (['failed', 'dropped'] as const)
  return sendAgain(context, await toldNow(context, webhook.id), { ...ALL, from, to, statuses })
}

async function toldNow(context: RequestContext, id: string): Promise<OutboxRows> {
  const viewers = await findViewers(context.db.sql, context.model.workspace.id, id)
  const lists = context.model.entityTypes.filter(isList)
  return { id, visible: viewers.map((viewer) => visibleEvents(viewer, lists)) }
}

/** A message of the asked kind, whatever the webhook is subscribed to. Throws 404, and 403 for what the caller may not read. */
export async function sendTest(
  context: RequestContext,
  webhookId: string,
  { event_type, event }: TestInput,
): Promise<Delivery> {
  const webhook = await getWebhookRow(context, webhookId)
  refuseUnreadable(context, event_type)
  const message =
    event === undefined ? await madeUp(context, webhook, event_type) : asWritten(context, { ...event, event_type })
  const { text, ...about } = message
  const id = newId()
  await insertTest(context, webhook.id, { id, event_type, ...about, body: envelope(webhook.id, text) })
  const [delivery] = await findDeliveries(context, webhook.id, [id])
  if (delivery === undefined) throw deliveryNotFound(id)
  return delivery
}

/** Trying a kind of event takes what seeing one in the feed takes. */
function refuseUnreadable(context: RequestContext, event_type: EventType): void {
  if (maySee(context, { event_type, listId: null })) return
  const needed = scopesToRead(event_type)
  throw missingScopes(needed.map(describeScope), [...needed])
}

interface TestMessage {
  readonly text: string
  readonly record_id: string | null
  readonly list_id: string | null
}

interface Trying {
  readonly id: string
  readonly subscriptions: readonly Subscription[]
}

/** Of what both the caller and the webhook may see. */
async function madeUp(
  context: RequestContext,
  { id, subscriptions }: Trying,
  event_type: EventType,
): Promise<TestMessage> {
  const viewers = await findViewers(context.db.sql, context.model.workspace.id, id)
  const isForBoth = (listId: string | null): boolean => {
    const subject = { event_type, listId }
    return maySee(context, subject) && viewers.some((viewer) => maySee(context, subject, viewer))
  }
  const event = await makeTestEvent(context, event_type, isForBoth)
  const text = await testText(context, subscriptions, event)
  return { text, record_id: recordOf(event), list_id: visibleList(context, event) }
}

function asWritten(context: RequestContext, event: Readonly<Record<string, unknown>>): TestMessage {
  const isWhole = typeof event.id === 'object' && event.id !== null
  if (!isWhole) return { text: JSON.stringify(event), record_id: null, list_id: null }
  const body = event as unknown as ChangeEventBody // it has the member that is read
  const record_id: unknown = recordOf(body)
  return {
    text: JSON.stringify(event),
    record_id: typeof record_id === 'string' && isUuid(record_id) ? record_id : null,
    list_id: visibleList(context, body),
  }
}

/** What names no list that the caller sees is their own invention. */
function visibleList(context: RequestContext, body: ChangeEventBody): string | null {
  const listId = listIdOf(body)
  const entityType = context.model.entityTypesById.get(listId ?? '')
  return entityType?.kind === 'list' && listAccess(context, entityType) !== undefined ? listId : null
}
