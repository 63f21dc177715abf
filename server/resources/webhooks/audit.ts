/** Who has what told to which address is kept in the audit log. */

import type { Transaction } from '../../../db/connect'
import { audit } from '../../access/audit-log/audit'
import type { RequestContext } from '../../call'
import type { WebhookRow } from './store'

type Audited = Pick<WebhookRow, 'id' | 'target_url' | 'subscriptions'>

/** `before` is the webhook as it was, where it was changed. */
export async function auditWebhook(
  tx: Transaction,
  context: RequestContext,
  what: 'created' | 'updated' | 'deleted' | 'secret-rotated',
  webhook: Audited,
  before?: Audited,
): Promise<void> {
  const workspaceId = context.model.workspace.id
  const [actor] = await tx<[{ type: string; id: string }?]>`
    select type, id from relata.actors where workspace_id = ${workspaceId} and number = ${context.actor}`
  await audit(tx, {
    workspaceId,
    actor: actor ?? null,
    action: `webhook.${what}`,
    subject: { type: 'webhook', id: webhook.id, name: originOf(webhook) },
    details: { ...detailsOf(webhook), ...(before && { before: detailsOf(before) }) },
    now: context.now(),
  })
}

const detailsOf = (webhook: Audited) => ({
  target: originOf(webhook),
  event_types: [...new Set(webhook.subscriptions.map(({ event_type }) => event_type))],
})

/** The rest of an address may hold a secret of the receiver's. */
const originOf = ({ target_url }: Audited): string => URL.parse(target_url)?.origin ?? ''
