/** Renders webhooks without their secrets. See docs/reference/webhooks-and-events.md (Webhooks). */

import type { ApiContext } from '#context'
import type { WebhookOutput } from './schemas'
import type { WebhookRow } from './store'

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
