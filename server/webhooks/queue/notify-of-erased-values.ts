/** Notifies all processes that values were removed from pending deliveries, which a process may have in memory. */

import type { Database, Transaction } from '../../../db/connect'

const CHANNEL = 'relata_erased'
/** PostgreSQL limits a payload to 8,000 bytes; one webhook takes 39. */
const MAX_PER_NOTIFICATION = 200

/** The notification is sent when the transaction commits. */
export async function notifyOfErasedValues(tx: Transaction, webhookIds: readonly string[]): Promise<void> {
  for (let start = 0; start < webhookIds.length; start += MAX_PER_NOTIFICATION)
    await tx`select pg_notify(${CHANNEL}, ${JSON.stringify(webhookIds.slice(start, start + MAX_PER_NOTIFICATION))})`
}

/**
 * Calls `listener` with the webhooks, and without them whenever the connection is made: notifications sent before that
 * are lost. The returned function stops that.
 */
export async function listenForErasedDeliveries(
  db: Database,
  listener: (webhookIds?: readonly string[]) => void,
): Promise<() => Promise<void>> {
  const onNotification = (payload: string) => listener(JSON.parse(payload) as string[]) // as `notifyOfErasedValues` writes it
  const listening = await db.sql.listen(CHANNEL, onNotification, () => listener())
  return () => listening.unlisten()
}
