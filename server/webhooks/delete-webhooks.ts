/** Webhooks end with the app or API key they belong to. See docs/reference/access-and-oauth.md (Tokens). */

import type { Transaction } from '../../db/connect'

/**
 * Deletes the webhooks of a client that has just lost its key or a grant, and drops what they were to be told, unless it
 * still has another grant in the workspace. Of grants that end at once, the last to get here sees that none is left.
 */
export async function deleteWebhooksOf(tx: Transaction, workspaceId: string, clientId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${clientId} in ${workspaceId}`}, 0))`
  await tx`
    with gone as (
      delete from relata.webhooks w
      where workspace_id = ${workspaceId} and client_id = ${clientId} and not exists (
        select 1 from relata.grants g
        where g.workspace_id = w.workspace_id and g.app_id = w.client_id and g.revoked_at is null)
      returning workspace_id, id
    )
    update relata.deliveries d set status = 'dropped', due_at = null from gone
    where d.workspace_id = gone.workspace_id and d.webhook_id = gone.id and d.due_at is not null`
}
