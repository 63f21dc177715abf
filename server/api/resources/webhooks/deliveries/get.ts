/** Lists and reads the deliveries of a webhook. See docs/reference/webhooks-and-events.md (Deliveries). */

import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { invalidRequest } from '#base/errors/http'
import { deliveryNotFound } from '#base/errors/webhooks'
import { cursorsFor } from '#engine/query/run/cursor'
import { getWebhookRow } from '#api/resources/webhooks/get'
import type { DeliveriesQuery, Delivery, WholeDelivery } from './schemas'
import { findDeliveryDetails, listDeliveryRows } from './store'

export interface DeliveriesPage {
  readonly data: Delivery[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Lists the newest deliveries first. Throws 404 for the webhook. */
export async function listDeliveries(
  context: ApiContext,
  webhookId: string,
  query: DeliveriesQuery,
): Promise<DeliveriesPage> {
  const { id } = await getWebhookRow(context, webhookId)
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: `deliveries of ${id}` }, query)
  const [before = query.before ?? null] = cursor === undefined ? [] : cursors.decode(cursor)
  // One more delivery than the limit shows whether another page follows.
  const found = await listDeliveryRows(context, id, { ...query, limit: limit + 1, before })
  const data = found.slice(0, limit).map(({ delivery }) => delivery)
  const last = data.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.delivery_id]) : null
  return { data, pagination: { next_cursor } }
}

/** Throws 404 for the webhook and for the delivery, and 400 when an id is not a UUID. */
export async function getDelivery(context: ApiContext, webhookId: string, deliveryId: string): Promise<WholeDelivery> {
  const webhook = await getWebhookRow(context, webhookId)
  const delivery = await findDeliveryDetails(context, webhook, deliveryIdOf(deliveryId))
  if (delivery === undefined) throw deliveryNotFound(deliveryId)
  return delivery
}

export function deliveryIdOf(text: string): string {
  if (!isUuid(text)) throw invalidRequest(`Delivery ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}
