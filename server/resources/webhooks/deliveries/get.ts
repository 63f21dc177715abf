/** Looking at what a webhook was told. See docs/reference/webhooks-and-events.md (Deliveries). */

import { isUuid } from '../../../attribute-types/formats/uuids'
import type { RequestContext } from '../../../call'
import { deliveryNotFound, invalidRequest } from '../../../errors/errors'
import { cursorsFor } from '../../../query/run/cursor'
import { getWebhookRow } from '../get'
import type { DeliveriesQuery, Delivery, WholeDelivery } from './schemas'
import { findWholeDelivery, listDeliveryRows } from './store'

export interface DeliveriesPage {
  readonly data: Delivery[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** A page, the newest first. Throws 404 for the webhook. */
export async function listDeliveries(
  context: RequestContext,
  webhookId: string,
  query: DeliveriesQuery,
): Promise<DeliveriesPage> {
  const { id } = await getWebhookRow(context, webhookId)
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: `deliveries of ${id}` }, query)
  const [before = query.before ?? null] = cursor === undefined ? [] : cursors.decode(cursor)
  // One more than asked for, to know whether there is another page.
  const found = await listDeliveryRows(context, id, { ...query, limit: limit + 1, before })
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.delivery_id]) : null
  return { data, pagination: { next_cursor } }
}

/** Throws 404 for the webhook and for the delivery, and 400 for what is no id. */
export async function readDelivery(
  context: RequestContext,
  webhookId: string,
  deliveryId: string,
): Promise<WholeDelivery> {
  const webhook = await getWebhookRow(context, webhookId)
  const delivery = await findWholeDelivery(context, webhook, deliveryIdOf(deliveryId))
  if (delivery === undefined) throw deliveryNotFound(deliveryId)
  return delivery
}

export function deliveryIdOf(text: string): string {
  if (!isUuid(text)) throw invalidRequest(`Delivery ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}
