/** Tells those who watch something what in it changed, whichever process changed it: deliveries of a webhook, requests at a test endpoint. */

import type { Database, Sql, Transaction } from '../../db/connect'

/** The ids of what changed. */
export type WatchListener = (ids: readonly string[]) => void

export interface WatchHub {
  /** `id` is of what is watched. The answer ends it. */
  subscribe(id: string, listener: WatchListener): () => void
  close(): Promise<void>
}

const CHANNEL = 'relata_watched'

/** Tells that in each of these things those things changed. About a hundred of them fit. */
export async function notifyWatchers(
  db: Sql | Transaction,
  changed: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await db`select pg_notify(${CHANNEL}, ${JSON.stringify([...changed])})`
}

/** The same, without waiting until it is on the disk: a crash loses the word, not what it is about. */
export async function notifyWatchersSoon(sql: Sql, changed: ReadonlyMap<string, readonly string[]>): Promise<void> {
  await sql`
    select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${JSON.stringify([...changed])})`
}

export async function createWatchHub(db: Database): Promise<WatchHub> {
  const listeners = new Map<string, Set<WatchListener>>()

  const heard = (payload: string) => {
    for (const [id, ids] of JSON.parse(payload) as [string, string[]][] /* as told above */) {
      for (const listener of listeners.get(id) ?? []) listener(ids)
    }
  }
  const listening = await db.sql.listen(CHANNEL, heard)

  return {
    subscribe(id, listener) {
      const others = listeners.get(id) ?? new Set()
      listeners.set(id, others.add(listener))
      return () => {
        others.delete(listener)
        if (others.size === 0) listeners.delete(id)
      }
    },
    close: () => listening.unlisten(),
  }
}
