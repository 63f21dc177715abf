/** Reads data again after change events. Events that arrive together cause one read. */

import { type ChangeEvent, changeEvents } from './change-events'
import { CoalescedRead } from '../reads/coalesced-read'

const PAUSE_MS = 200

/** `read` handles its errors itself. Between two reads is at least the pause. Returns the function that ends it; for use in an effect. */
export function followEvents(
  concerns: (event: ChangeEvent) => boolean,
  read: () => Promise<void>,
  pauseMs = PAUSE_MS,
): () => void {
  const renewal = new CoalescedRead(read, pauseMs)
  const stop = changeEvents.follow({
    onevent: (event) => {
      if (concerns(event)) renewal.request()
    },
    onmissed: () => renewal.request(),
  })
  return () => {
    stop()
    renewal.stop()
  }
}
