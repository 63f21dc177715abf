/** Drops everything that waits to be sent, so that a copy sends nothing of its original. See docs/decisions/database-copies.md. */

import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Transaction } from '#db/connect'
import { lockPublishers } from '#events/feed/publish'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

/** Afterwards no webhook is active. An update of a webhook activates it again, for the events from then on. */
export async function dropOutgoing(tx: Transaction, now: Micros): Promise<void> {
  // A publisher that had read the active webhooks would insert deliveries for them afterwards.
  await lockPublishers(tx)
  await deactivateWebhooks(tx, timestampFromMicros(now))
  await dropEmails(tx)
  await failFetches(tx)
}

/** Locks webhooks in the order of their ids, as all code does that locks several. */
async function deactivateWebhooks(tx: Transaction, at: string): Promise<void> {
  const control = controlQueriesIn(tx)
  await control
    .with(
      (name) => name('locked').materialized(),
      (query) => query.selectFrom('relata.webhooks').select(['workspace_id', 'id']).orderBy('id').forUpdate(),
    )
    .updateTable('relata.webhooks as w')
    .from('locked')
    .set({ status: 'inactive', due_at: null, leased_by: null, leased_until: null })
    .whereRef('w.workspace_id', '=', 'locked.workspace_id')
    .whereRef('w.id', '=', 'locked.id')
    .execute()
  await control
    .updateTable('relata.deliveries')
    .set({ status: 'dropped', due_at: null, finished_at: at })
    .where('due_at', 'is not', null)
    .execute()
}

/** Notifications stay in the inboxes of their members. */
async function dropEmails(tx: Transaction): Promise<void> {
  const control = controlQueriesIn(tx)
  await control.deleteFrom('relata.webhook_alerts').execute()
  await control
    .updateTable('relata.inboxes')
    .set({ due_at: null, attempts: 0 })
    .where('due_at', 'is not', null)
    .execute()
  await control
    .updateTable('relata.notifications')
    .set({ is_digested: true })
    .where('is_digested', '=', false)
    .execute()
}

/** Locks each recording before its fetch, as the store of fetches does. */
async function failFetches(tx: Transaction): Promise<void> {
  await controlQueriesIn(tx)
    .with('failed', (query) =>
      query
        .updateTable('relata.call_recordings as r')
        .from('relata.call_recording_fetches as f')
        .set({ status: 'failed' })
        .whereRef('r.workspace_id', '=', 'f.workspace_id')
        .whereRef('r.id', '=', 'f.call_recording_id')
        .returning(['r.workspace_id', 'r.id']),
    )
    .deleteFrom('relata.call_recording_fetches as f')
    .using('failed')
    .whereRef('f.workspace_id', '=', 'failed.workspace_id')
    .whereRef('f.call_recording_id', '=', 'failed.id')
    .execute()
}
