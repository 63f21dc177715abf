/** Tells those who wait that there are new events in their workspace, whichever process published them. */

import type { Database } from '../../db/connect'
import { EVENTS_CHANNEL } from './publish'

export interface EventHub {
  /** Calls `listener` whenever there may be new events; the answer ends that. */
  subscribe(workspaceId: string, listener: () => void): () => void
  close(): Promise<void>
}

export async function createEventHub(db: Database): Promise<EventHub> {
  const listeners = new Map<string, Set<() => void>>()

  const tell = (workspaceId: string) => {
    for (const listener of listeners.get(workspaceId) ?? []) listener()
  }
  const tellAll = () => {
    for (const workspaceId of listeners.keys()) tell(workspaceId)
  }
  const heard = (payload: string) => (payload === '' ? tellAll() : payload.split(',').forEach(tell))
  // A new connection may have missed something.
  const listener = await db.sql.listen(EVENTS_CHANNEL, heard, tellAll)

  return {
    subscribe(workspaceId, listen) {
      const others = listeners.get(workspaceId) ?? new Set()
      listeners.set(workspaceId, others.add(listen))
      return () => {
        others.delete(listen)
        if (others.size === 0) listeners.delete(workspaceId)
      }
    },
    close: () => listener.unlisten(),
  }
}
