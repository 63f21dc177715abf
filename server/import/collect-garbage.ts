/**
 * The runtime lets garbage grow to several times the memory in use before it collects it, and an import makes much of it.
 * Regular collections keep the memory of the process constant from the first row to the last.
 */

const ROWS_BETWEEN_CHECKS = 2_000
/** Below this size of the process, a collection is not worth its time. */
const MIN_PROCESS_BYTES = 280_000_000

/** The function is called with the number of rows read so far. */
export function createGarbageCollector(): (rows: number) => void {
  let checkedAt = 0
  return (rows) => {
    if (rows - checkedAt < ROWS_BETWEEN_CHECKS) return
    checkedAt = rows
    if (process.memoryUsage.rss() > MIN_PROCESS_BYTES) Bun.gc(true)
  }
}
