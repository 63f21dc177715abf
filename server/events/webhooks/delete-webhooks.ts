/** Deletes webhooks when their app or API key loses its access. See docs/reference/access-and-oauth.md (Tokens). */

import type { Transaction } from '#db/connect'
import { notifyOfChangedClient } from './queue/notify-of-changes'

/**
 * Deletes the webhooks of a client that has just lost its key or a grant, and drops their pending deliveries, unless the
 * client has another grant in the workspace. The lock makes calls for grants of the same client run one after the other, so
 * that the last call finds no grant.
 */
export async function deleteWebhooksOf(tx: Transaction, workspaceId: string, clientId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${clientId} in ${workspaceId}`}, 0))`
  await notifyOfChangedClient(tx, workspaceId, clientId)
  await tx`
    with deleted as (
      delete from relata.webhooks w
      where workspace_id = ${workspaceId} and client_id = ${clientId} and not exists (
        select 1 from relata.grants g
        where g.workspace_id = w.workspace_id and g.app_id = w.client_id and g.revoked_at is null)
      returning workspace_id, id
    )
    update relata.deliveries d set status = 'dropped', due_at = null from deleted
    where d.workspace_id = deleted.workspace_id and d.webhook_id = deleted.id and d.due_at is not null`
}
