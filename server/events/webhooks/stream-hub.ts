/**
 * Notifies the streams of all processes which rows changed: deliveries of a webhook, requests at a test endpoint; and which workspaces
 * may have new events.
 */

import { notify } from '#engine/data-model/kysely-in-transaction'
import type { Database, Sql, Transaction } from '#db/connect'
import { EVENTS_CHANNEL } from '#events/feed/publish'

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

/** Notifies the streams of a process that their workspace may have new events, whichever process published them. */
export interface EventHub {
  /** Calls `listener` when the workspace may have new events. The returned function ends the subscription. */
  subscribe(workspaceId: string, listener: () => void): () => void
  close(): Promise<void>
}

export async function createEventHub(db: Database): Promise<EventHub> {
  const listeners = createListeners<void>()
  const callAll = () => listeners.callAll()
  const onNotification = (payload: string) => {
    if (payload === '') callAll()
    else for (const workspaceId of payload.split(',')) listeners.call(workspaceId)
  }
  // A connection that was lost may have missed notifications, so a new one calls all listeners.
  const listening = await db.sql.listen(EVENTS_CHANNEL, onNotification, callAll)
  return { subscribe: listeners.subscribe, close: () => listening.unlisten() }
}

/** The listeners of a hub, by the id of what they listen to. */
interface Listeners<T> {
  /** The returned function removes the listener. */
  subscribe(id: string, listener: (message: T) => void): () => void
  call(id: string, message: T): void
  callAll(message: T): void
}

function createListeners<T>(): Listeners<T> {
  const byId = new Map<string, Set<(message: T) => void>>()
  const call = (id: string, message: T) => {
    for (const listener of byId.get(id) ?? []) listener(message)
  }
  return {
    subscribe(id, listener) {
      const listeners = byId.get(id) ?? new Set()
      byId.set(id, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) byId.delete(id)
      }
    },
    call,
    callAll(message) {
      for (const id of byId.keys()) call(id, message)
    },
  }
}
