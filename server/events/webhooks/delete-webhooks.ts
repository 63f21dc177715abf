/** Deletes webhooks when their app or API key loses its access. See docs/reference/access-and-oauth.md (Tokens). */

import { controlQueriesIn, lockName, equal } from '#engine/data-model/kysely-in-transaction'
import type { Transaction } from '#db/connect'
import { notifyOfChangedClient } from './queue/notify-of-changes'

/**
 * Deletes the webhooks of a client that has just lost its key or a grant, and drops their pending deliveries, unless the
 * client has another grant of the level `workspace` there. Tokens that act for a member have no webhooks. The lock makes calls for grants of the same client run one after the other, so
 * that the last call finds no grant.
 */
export async function deleteWebhooksOf(tx: Transaction, workspaceId: string, clientId: string): Promise<void> {
  await lockName(tx, `webhooks of ${clientId} in ${workspaceId}`)
  await notifyOfChangedClient(tx, workspaceId, clientId)
  await controlQueriesIn(tx)
    .with('deleted', (query) =>
      query
        .deleteFrom('relata.webhooks as w')
        .where(equal({ 'w.workspace_id': workspaceId, 'w.client_id': clientId }))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('relata.grants as g')
                .select('g.id')
                .whereRef('g.workspace_id', '=', 'w.workspace_id')
                .whereRef('g.app_id', '=', 'w.client_id')
                .where('g.level', '=', 'workspace')
                .where('g.revoked_at', 'is', null),
            ),
          ),
        )
        .returning(['w.workspace_id', 'w.id']),
    )
    .updateTable('relata.deliveries as d')
    .from('deleted')
    .set({ status: 'dropped', due_at: null })
    .whereRef('d.workspace_id', '=', 'deleted.workspace_id')
    .whereRef('d.webhook_id', '=', 'deleted.id')
    .where('d.due_at', 'is not', null)
    .execute()
}
