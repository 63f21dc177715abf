/** Reads webhooks. See docs/reference/webhooks-and-events.md (Webhooks). */

import { listAccess } from '#access/list-access/list-access'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { listTypes } from '#engine/data-model/find'
import { invalidRequest } from '#base/errors/http'
import { webhookNotFound, webhookOfOtherOwner } from '#base/errors/webhooks'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import type { WebhookOutput } from './schemas'
import { findWebhookRow, listWebhookRows, type WebhookRow } from './store'

export async function listWebhooks(
  context: ApiContext,
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): Promise<WebhookOutput[]> {
  const rows = await visibleWebhooks(context, await listWebhookRows(context))
  return rows.slice(offset, offset + limit).map((row) => renderWebhook(context, row))
}

/** A caller does not see webhooks whose filters name something hidden, unless the caller wrote the filters. */
async function visibleWebhooks(context: ApiContext, rows: readonly WebhookRow[]): Promise<readonly WebhookRow[]> {
  const textOf = ({ subscriptions }: WebhookRow) => JSON.stringify(subscriptions)
  const unseen = listTypes(context.model).filter((list) => listAccess(context, list) === undefined)
  const isOwn = ({ saved_by }: WebhookRow) => saved_by === context.actor
  const others = rows.filter((row) => !isOwn(row))
  const hidden = await findHiddenTexts(context, others.map(textOf), unseen)
  return rows.filter((row) => isOwn(row) || !hidden.has(textOf(row)))
}

/** Throws 404, and 400 when the id is not a UUID. */
export async function getWebhookRow(context: ApiContext, webhookId: string): Promise<WebhookRow> {
  if (!isUuid(webhookId)) throw invalidRequest(`Webhook ID "${webhookId}" is not a UUID.`)
  const row = await findWebhookRow(context, webhookId.toLowerCase())
  const [webhook] = row ? await visibleWebhooks(context, [row]) : []
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

/** Renders webhooks without their secrets. See docs/reference/webhooks-and-events.md (Webhooks). */
export const renderWebhook = ({ model, clientId }: ApiContext, webhook: WebhookRow): WebhookOutput => ({
  id: { workspace_id: model.workspace.id, webhook_id: webhook.id },
  target_url: webhook.target_url,
  subscriptions: webhook.subscriptions.map(({ event_type, filter, include }) => ({
    event_type,
    // The filter is stored as it was sent. The types differ only in that the arrays are read-only.
    filter: filter as WebhookOutput['subscriptions'][number]['filter'],
    ...(include && { include: [...include] }),
  })),
  status: webhook.status,
  created_at: webhook.created_at,
  // Only members see webhooks that belong to others.
  ...(clientId === undefined && { owner: ownerOf(webhook), degraded_at: webhook.degraded_at }),
})

function ownerOf({ client_id, app_name, key_name }: WebhookRow): WebhookOutput['owner'] {
  if (client_id === null) return { type: 'workspace', name: null }
  return app_name === null ? { type: 'api-token', name: key_name } : { type: 'app', name: app_name }
}
