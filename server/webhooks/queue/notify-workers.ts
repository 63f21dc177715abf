/** Tells other processes that deliveries were made for webhooks whose leases they hold. */

import type { Database, Transaction } from '../../../db/connect'
import type { Due } from '../match/insert-deliveries'

const CHANNEL = 'relata_due'
/** What fits into a payload of 8,000 bytes: two ids and their names are 101. */
const MOST_TOLD = 75

export async function notifyWorkers(tx: Transaction, due: readonly Due[], self: string): Promise<void> {
  const others = due.flatMap(({ webhookId, heldBy }) =>
    heldBy === null || heldBy === self ? [] : [{ webhookId, heldBy }],
  )
  for (let told = 0; told < others.length; told += MOST_TOLD) {
    await tx`select pg_notify(${CHANNEL}, ${JSON.stringify(others.slice(told, told + MOST_TOLD))})`
  }
}

/** The answer ends it. */
export async function listenForDue(
  db: Database,
  listener: (due: readonly Due[]) => void,
): Promise<() => Promise<void>> {
  const listening = await db.sql.listen(CHANNEL, (payload) => listener(JSON.parse(payload) as Due[])) // as told above
  return () => listening.unlisten()
}
