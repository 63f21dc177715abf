/**
 * Notifies the streams of all processes which rows changed: deliveries of a webhook, requests at a test endpoint.
 */

import { notify } from '#engine/data-model/kysely-in-transaction'
import type { Database, Sql, Transaction } from '#db/connect'
import { createListeners } from '#events/feed/listeners'

/** Gets the ids of the changed rows. */
export type StreamListener = (ids: readonly string[]) => void

/** The changed rows, by the id of the webhook or test endpoint that they belong to. About a hundred ids fit. */
export type ChangedRows = ReadonlyMap<string, readonly string[]>

export interface StreamHub {
  /** `id` is that of a webhook or of a test endpoint. The returned function ends the subscription. */
  subscribe(id: string, listener: StreamListener): () => void
  close(): Promise<void>
}

const CHANNEL = 'relata_watched'

export const notifyStreams = (db: Sql | Transaction, changed: ChangedRows): Promise<void> =>
  notify(db, CHANNEL, JSON.stringify([...changed]))

/** The same without waiting for the disk. A crash can lose the notification, and no row. */
export async function notifyStreamsUnlogged(sql: Sql, changed: ChangedRows): Promise<void> {
  await sql`
    select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${JSON.stringify([...changed])})`
}

export async function createStreamHub(db: Database): Promise<StreamHub> {
  const listeners = createListeners<readonly string[]>()
  const listening = await db.sql.listen(CHANNEL, (payload) => {
    const changed = JSON.parse(payload) as [string, string[]][] // as `notifyStreams` writes it
    for (const [id, ids] of changed) listeners.call(id, ids)
  })
  return { subscribe: listeners.subscribe, close: () => listening.unlisten() }
}
