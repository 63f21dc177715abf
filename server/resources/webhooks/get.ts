/** Reading webhooks. Spec: webhooks 1. */

import { isUuid } from '../../attribute-types/formats/uuids'
import type { Call } from '../../call'
import { invalidRequest, webhookNotFound, webhookOfAnother } from '../../errors/errors'
import { renderWebhook } from './render'
import type { WebhookOutput } from './schemas'
import { findWebhookRow, listWebhookRows, type WebhookRow } from './store'

export async function listWebhooks(
  call: Call,
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): Promise<WebhookOutput[]> {
  const rows = await listWebhookRows(call, limit, offset)
  return rows.map((row) => renderWebhook(call, row))
}

/** A webhook that a path names. Throws 404, and 400 for what is no id. */
export async function getWebhookRow(call: Call, webhookId: string): Promise<WebhookRow> {
  if (!isUuid(webhookId)) throw invalidRequest(`Webhook ID "${webhookId}" is not a UUID.`)
  const webhook = await findWebhookRow(call, webhookId.toLowerCase())
  if (webhook === undefined) throw webhookNotFound(webhookId)
  return webhook
}

/** The same to change it: a member of the workspace only looks at those of apps and keys. Throws 403 then. */
export async function getOwnWebhookRow(call: Call, webhookId: string): Promise<WebhookRow> {
  const webhook = await getWebhookRow(call, webhookId)
  if (webhook.client_id !== null && webhook.client_id !== call.clientId) throw webhookOfAnother()
  return webhook
}
