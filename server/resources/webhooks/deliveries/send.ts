/** Sending again, and sending to try. Spec: webhooks 8. */

import { isList, listAccess } from '../../../access/list-access'
import { maySee } from '../../../access/visible-events'
import { isUuid } from '../../../attribute-types/formats/uuids'
import type { Call } from '../../../call'
import { envelope, recordOf } from '../../../webhooks/match/match-events'
import type { Subscription } from '../../../webhooks/match/subscription'
import { findViewers } from '../../../webhooks/match/webhook-viewers'
import { deliveryNotFound, deliveryWithheld, missingScopes } from '../../../errors/errors'
import type { EventBody, EventType } from '../../../events/event-types'
import { newId } from '../../../ids'
import { listIdOf, scopesToRead, visibleEvents } from '../../../events/visibility'
import { scopeInWords } from '../../../scopes'
import { getWebhookRow } from '../get'
import { deliveryIdOf } from './get'
import type { Delivery, ReplayInput, TestInput } from './schemas'
import { findDeliveries, insertTest, mayBeTold, sendAgain, type Again, type Told } from './store'
import { makeTestEvent } from './test-event'
import { testText } from './test-values'

const ALL: Again = { id: null, from: null, to: null, statuses: [] }

/** The same body with the same key, at once. One that still waits is sent now. Throws 404, and 403 for what the webhook may not be told any more. */
export async function redeliver(call: Call, webhookId: string, deliveryId: string): Promise<Delivery> {
  const webhook = await getWebhookRow(call, webhookId)
  const id = deliveryIdOf(deliveryId)
  const told = await toldNow(call, webhook.id)
  const [found] = await findDeliveries(call, webhook.id, [id])
  if (found === undefined) throw deliveryNotFound(deliveryId)
  if (!(await mayBeTold(call, told, id))) throw deliveryWithheld()
  await sendAgain(call, told, { ...ALL, id, statuses: ['succeeded', 'failed', 'dropped', 'waiting'] })
  const [delivery] = await findDeliveries(call, webhook.id, [id])
  return delivery ?? found
}

/** Everything of a time, or what failed in it, that both caller and webhook may see still. Answers how much that is. Throws 404. */
export async function replay(call: Call, webhookId: string, input: ReplayInput): Promise<number> {
  const webhook = await getWebhookRow(call, webhookId)
  const { from, to = null, status = 'failed' } = input
  const statuses = status === 'any' ? (['succeeded', 'failed', 'dropped'] as const) : (['failed', 'dropped'] as const)
  return sendAgain(call, await toldNow(call, webhook.id), { ...ALL, from, to, statuses })
}

async function toldNow(call: Call, id: string): Promise<Told> {
  const viewers = await findViewers(call.db.sql, call.model.workspace.id, id)
  const lists = call.model.owners.filter(isList)
  return { id, visible: viewers.map((viewer) => visibleEvents(viewer, lists)) }
}

/** A message of the asked kind, whatever the webhook is subscribed to. Throws 404, and 403 for what the caller may not read. */
export async function sendTest(call: Call, webhookId: string, { event_type, event }: TestInput): Promise<Delivery> {
  const webhook = await getWebhookRow(call, webhookId)
  refuseUnreadable(call, event_type)
  const message =
    event === undefined ? await madeUp(call, webhook, event_type) : asWritten(call, { ...event, event_type })
  const { text, ...about } = message
  const id = newId()
  await insertTest(call, webhook.id, { id, event_type, ...about, body: envelope(webhook.id, text) })
  const [delivery] = await findDeliveries(call, webhook.id, [id])
  if (delivery === undefined) throw deliveryNotFound(id)
  return delivery
}

/** Trying a kind of event takes what seeing one in the feed takes. */
function refuseUnreadable(call: Call, event_type: EventType): void {
  if (maySee(call, { event_type, listId: null })) return
  const needed = scopesToRead(event_type)
  throw missingScopes(needed.map(scopeInWords), [...needed])
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
async function madeUp(call: Call, { id, subscriptions }: Trying, event_type: EventType): Promise<TestMessage> {
  const viewers = await findViewers(call.db.sql, call.model.workspace.id, id)
  const isForBoth = (listId: string | null): boolean => {
    const subject = { event_type, listId }
    return maySee(call, subject) && viewers.some((viewer) => maySee(call, subject, viewer))
  }
  const event = await makeTestEvent(call, event_type, isForBoth)
  const text = await testText(call, subscriptions, event)
  return { text, record_id: recordOf(event), list_id: visibleList(call, event) }
}

function asWritten(call: Call, event: Readonly<Record<string, unknown>>): TestMessage {
  const isWhole = typeof event.id === 'object' && event.id !== null
  if (!isWhole) return { text: JSON.stringify(event), record_id: null, list_id: null }
  const body = event as unknown as EventBody // it has the member that is read
  const record_id: unknown = recordOf(body)
  return {
    text: JSON.stringify(event),
    record_id: typeof record_id === 'string' && isUuid(record_id) ? record_id : null,
    list_id: visibleList(call, body),
  }
}

/** What names no list that the caller sees is their own invention. */
function visibleList(call: Call, body: EventBody): string | null {
  const listId = listIdOf(body)
  const owner = call.model.ownersById.get(listId ?? '')
  return owner?.kind === 'list' && listAccess(call, owner) !== undefined ? listId : null
}
