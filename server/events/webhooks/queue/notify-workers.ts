/** Notifies other processes of new deliveries for webhooks whose leases they hold. */

import type { Database, Transaction } from '#db/connect'
import type { DueWebhook } from '#events/webhooks/delivery'

const CHANNEL = 'relata_due'
/** PostgreSQL limits a payload to 8,000 bytes; one webhook takes about 101. */
const MAX_PER_NOTIFICATION = 75

export async function notifyWorkers(tx: Transaction, due: readonly DueWebhook[], self: string): Promise<void> {
  const ofOthers = due.flatMap(({ webhookId, leasedBy }) =>
    leasedBy === null || leasedBy === self ? [] : [{ webhookId, leasedBy }],
  )
  for (let start = 0; start < ofOthers.length; start += MAX_PER_NOTIFICATION) {
    await tx`select pg_notify(${CHANNEL}, ${JSON.stringify(ofOthers.slice(start, start + MAX_PER_NOTIFICATION))})`
  }
}

/** Calls `listener` for the notifications of all processes. The returned function stops that. */
export async function listenForDueWebhooks(
  db: Database,
  listener: (due: readonly DueWebhook[]) => void,
): Promise<() => Promise<void>> {
  const listening = await db.sql.listen(CHANNEL, (payload) => listener(JSON.parse(payload) as DueWebhook[])) // as `notifyWorkers` writes it
  return () => listening.unlisten()
}
