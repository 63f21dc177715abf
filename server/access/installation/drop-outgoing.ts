/** Drops everything that waits to be sent, so that a copy sends nothing of its original. See docs/decisions/database-copies.md. */

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
  await tx`
    with locked as materialized (select workspace_id, id from relata.webhooks order by id for update)
    update relata.webhooks w
    set status = 'inactive', due_at = null, leased_by = null, leased_until = null
    from locked where w.workspace_id = locked.workspace_id and w.id = locked.id`
  await tx`update relata.deliveries set status = 'dropped', due_at = null, finished_at = ${at}
    where due_at is not null`
}

/** Notifications stay in the inboxes of their members. */
async function dropEmails(tx: Transaction): Promise<void> {
  await tx`delete from relata.webhook_alerts`
  await tx`update relata.inboxes set due_at = null, attempts = 0 where due_at is not null`
  await tx`update relata.notifications set is_digested = true where not is_digested`
}

/** Locks each recording before its fetch, as the store of fetches does. */
async function failFetches(tx: Transaction): Promise<void> {
  await tx`
    with failed as (
      update relata.call_recordings r set status = 'failed' from relata.call_recording_fetches f
      where r.workspace_id = f.workspace_id and r.id = f.call_recording_id
      returning r.workspace_id, r.id
    )
    delete from relata.call_recording_fetches f using failed
    where f.workspace_id = failed.workspace_id and f.call_recording_id = failed.id`
}
