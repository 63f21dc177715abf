/** Webhooks as clients see them: never with their secret. Spec: webhooks 1. */

import type { Call } from '../../call'
import type { WebhookOutput } from './schemas'
import type { WebhookRow } from './store'

export const renderWebhook = ({ model }: Call, webhook: WebhookRow): WebhookOutput => ({
  id: { workspace_id: model.workspace.id, webhook_id: webhook.id },
  target_url: webhook.target_url,
  subscriptions: webhook.subscriptions.map(({ event_type, filter }) => ({
    event_type,
    // Kept as it was sent, in lists of the wire's own kind.
    filter: filter as WebhookOutput['subscriptions'][number]['filter'],
  })),
  status: webhook.status,
  created_at: webhook.created_at,
})
