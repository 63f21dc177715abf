/** Tells those who watch a webhook which of its deliveries were attempted, whichever process attempted them. */

import type { Database } from '../../db/connect'
import { ATTEMPTS_CHANNEL } from './record'

/** The ids of deliveries that changed. */
export type AttemptListener = (deliveryIds: readonly string[]) => void

export interface AttemptHub {
  /** The answer ends it. */
  subscribe(webhookId: string, listener: AttemptListener): () => void
  close(): Promise<void>
}

export async function createAttemptHub(db: Database): Promise<AttemptHub> {
  const listeners = new Map<string, Set<AttemptListener>>()

  const heard = (payload: string) => {
    for (const [webhookId, ids] of JSON.parse(payload) as [string, string[]][] /* as the recorder tells */) {
      for (const listener of listeners.get(webhookId) ?? []) listener(ids)
    }
  }
  const listening = await db.sql.listen(ATTEMPTS_CHANNEL, heard)

  return {
    subscribe(webhookId, listener) {
      const others = listeners.get(webhookId) ?? new Set()
      listeners.set(webhookId, others.add(listener))
      return () => {
        others.delete(listener)
        if (others.size === 0) listeners.delete(webhookId)
      }
    },
    close: () => listening.unlisten(),
  }
}
