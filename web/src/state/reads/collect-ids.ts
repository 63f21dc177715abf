/** Collects the ids of records that are needed at the same time, so that one request reads those of an object. */

type CollectId = (object: string, recordId: string) => void

/** Calls `read` with the ids of each object that were collected within `pauseMs`. */
export function collectIds(pauseMs: number, read: (object: string, ids: readonly string[]) => unknown): CollectId {
  const pending = new Map<string, Set<string>>()
  function readPending(): void {
    const all = [...pending]
    pending.clear()
    for (const [object, ids] of all) read(object, [...ids])
  }
  return (object, recordId) => {
    if (pending.size === 0) setTimeout(readPending, pauseMs)
    pending.set(object, (pending.get(object) ?? new Set()).add(recordId))
  }
}
