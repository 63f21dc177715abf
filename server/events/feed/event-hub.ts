/** Notifies the streams of a process that their workspace may have new events, whichever process published them. */

import type { Database } from '#db/connect'
import { createListeners } from './listeners'
import { EVENTS_CHANNEL } from './publish'

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
