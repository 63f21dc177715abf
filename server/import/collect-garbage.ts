/**
 * The runtime lets garbage grow to several times of what is in use before it looks for it, and an import makes a lot of
 * it. What is in use stays the same from the first row to the last, and with this the memory of the process does, too.
 */

const EVERY_ROWS = 2_000
/** Below it, looking for garbage is not worth its time. */
const ENOUGH_BYTES = 280_000_000

/** To be told how many rows were imported, time after time. */
export function createGarbageCollector(): (rows: number) => void {
  let lookedAt = 0
  return (rows) => {
    if (rows - lookedAt < EVERY_ROWS) return
    lookedAt = rows
    if (process.memoryUsage.rss() > ENOUGH_BYTES) Bun.gc(true)
  }
}
