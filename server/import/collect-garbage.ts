/**
 * The runtime lets garbage grow to several times the memory in use before it collects it, and an import makes much of it.
 * Regular collections keep the memory of the process constant from the first row to the last.
 */

const ROWS_BETWEEN_CHECKS = 2_000
/** Below this size of the process, a collection is not worth its time. */
const MIN_PROCESS_BYTES = 160_000_000
/** A collection takes as long as 500 rows. It repeats only after the process has grown by this much. */
const MIN_GROWTH_BYTES = 20_000_000

/** The function is called with the number of rows read so far. */
export function createGarbageCollector(): (rows: number) => void {
  let checkedAt = 0
  let threshold = MIN_PROCESS_BYTES
  return (rows) => {
    if (rows - checkedAt < ROWS_BETWEEN_CHECKS) return
    checkedAt = rows
    if (process.memoryUsage.rss() <= threshold) return
    Bun.gc(true)
    threshold = Math.max(MIN_PROCESS_BYTES, process.memoryUsage.rss() + MIN_GROWTH_BYTES)
  }
}
