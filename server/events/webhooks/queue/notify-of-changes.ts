/**
 * Notifies all processes that pending deliveries have to be read again before their next attempt, because a process may have
 * them in memory: their bodies changed, or their webhook or its viewers did. See docs/decisions/event-access.md.
 */

import type { Database, Transaction } from '#db/connect'
import { DATA_MODEL_CHANNEL } from '#engine/data-model/cache'

const CHANNEL = 'relata_changed_deliveries'
/** PostgreSQL limits a payload to 8,000 bytes; one webhook takes 39. */
const MAX_PER_NOTIFICATION = 200

/** The notification is sent when the transaction commits. */
export async function notifyOfChangedDeliveries(tx: Transaction, webhookIds: readonly string[]): Promise<void> {
  for (let start = 0; start < webhookIds.length; start += MAX_PER_NOTIFICATION)
    await tx`select pg_notify(${CHANNEL}, ${JSON.stringify(webhookIds.slice(start, start + MAX_PER_NOTIFICATION))})`
}

/** The same for the webhooks that an app or API key is a viewer of. */
export async function notifyOfChangedClient(tx: Transaction, workspaceId: string, clientId: string): Promise<void> {
  const rows = await tx<{ id: string }[]>`
    select id from relata.webhooks where workspace_id = ${workspaceId} and (client_id = ${clientId} or saved_by in (
      select actor from relata.tokens where workspace_id = ${workspaceId} and client_id = ${clientId}))`
  await notifyOfChangedDeliveries(
    tx,
    rows.map(({ id }) => id),
  )
}

export interface ChangeListener {
  /** Without the ids, of any webhook: notifications that are sent before the connection is made are lost. */
  ofWebhooks(webhookIds?: readonly string[]): void
  /** The data model of the workspace changed, and with it what its members may see. */
  ofWorkspace(workspaceId: string): void
}

/** The returned function ends the calls. */
export async function listenForChangedDeliveries(db: Database, listener: ChangeListener): Promise<() => Promise<void>> {
  const onNotification = (payload: string) => listener.ofWebhooks(JSON.parse(payload) as string[]) // as above
  const listening = await Promise.all([
    db.sql.listen(CHANNEL, onNotification, () => listener.ofWebhooks()),
    db.sql.listen(DATA_MODEL_CHANNEL, (workspaceId) => listener.ofWorkspace(workspaceId)),
  ])
  return async () => {
    await Promise.all(listening.map((each) => each.unlisten()))
  }
}
