/** Reads data again after change events. Events that arrive together cause one read. */

import { type ChangeEvent, changeEvents } from './change-events'

const PAUSE_MS = 200

/** Returns the function that ends it; for use in an effect. */
export function followEvents(concerns: (event: ChangeEvent) => boolean, read: () => unknown): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const readSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      read()
    }, PAUSE_MS)
  }
  const stop = changeEvents.follow({
    onevent: (event) => {
      if (concerns(event)) readSoon()
    },
    onmissed: readSoon,
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}
