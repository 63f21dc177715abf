/** Writes changes of webhooks to the audit log, with their targets and event types. */

import type { Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import type { ApiContext } from '#context'
import type { WebhookRow } from './store'

type Audited = Pick<WebhookRow, 'id' | 'target_url' | 'subscriptions'>

/** `before` is the webhook before an update. */
export async function auditWebhook(
  tx: Transaction,
  context: ApiContext,
  change: 'created' | 'updated' | 'deleted' | 'secret-rotated',
  webhook: Audited,
  before?: Audited,
): Promise<void> {
  const workspaceId = context.model.workspace.id
  const [actor] = await tx<[{ type: string; id: string }?]>`
    select type, id from relata.actors where workspace_id = ${workspaceId} and number = ${context.actor}`
  await audit(tx, {
    workspaceId,
    actor: actor ?? null,
    action: `webhook.${change}`,
    subject: { type: 'webhook', id: webhook.id, name: originOf(webhook) },
    details: { ...detailsOf(webhook), ...(before && { before: detailsOf(before) }) },
    now: context.now(),
  })
}

const detailsOf = (webhook: Audited) => ({
  target: originOf(webhook),
  event_types: [...new Set(webhook.subscriptions.map(({ event_type }) => event_type))],
})

/** Leaves out the path and query, which can contain a secret of the receiver. */
const originOf = ({ target_url }: Audited): string => URL.parse(target_url)?.origin ?? ''
