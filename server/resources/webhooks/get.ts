/** Reads webhooks. See docs/reference/webhooks-and-events.md (Webhooks). */

import { isUuid } from '../../attribute-types/formats/uuids'
import type { ApiContext } from '../../context'
import { invalidRequest } from '../../errors/http'
import { webhookNotFound, webhookOfOtherOwner } from '../../errors/webhooks'
import { renderWebhook } from './render'
import type { WebhookOutput } from './schemas'
import { findWebhookRow, listWebhookRows, type WebhookRow } from './store'

export async function listWebhooks(
  context: ApiContext,
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): Promise<WebhookOutput[]> {
  const rows = await listWebhookRows(context, limit, offset)
  return rows.map((row) => renderWebhook(context, row))
}

/** Throws 404, and 400 when the id is not a UUID. */
export async function getWebhookRow(context: ApiContext, webhookId: string): Promise<WebhookRow> {
  if (!isUuid(webhookId)) throw invalidRequest(`Webhook ID "${webhookId}" is not a UUID.`)
  const webhook = await findWebhookRow(context, webhookId.toLowerCase())
  if (webhook === undefined) throw webhookNotFound(webhookId)
  return webhook
}

/** The same for a change. Throws 403 when the webhook belongs to another owner: an app, an API key or the workspace. */
export async function getOwnWebhookRow(context: ApiContext, webhookId: string): Promise<WebhookRow> {
  const webhook = await getWebhookRow(context, webhookId)
  if (webhook.client_id !== (context.clientId ?? null)) throw webhookOfOtherOwner()
  return webhook
}

/** The same for sending: a member at the console may send the deliveries of every webhook, any other caller those of its own. */
export const getSendingWebhookRow = (context: ApiContext, webhookId: string): Promise<WebhookRow> =>
  context.clientId === undefined ? getWebhookRow(context, webhookId) : getOwnWebhookRow(context, webhookId)
