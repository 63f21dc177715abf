/**
 * The runtime lets garbage grow to several times the memory in use before it collects all of it. Collections at a size keep the memory
 * of the process constant while it makes much garbage: in imports, in batches and in walks over many pages.
 * See docs/decisions/memory.md.
 */

import { fullGC } from 'bun:jsc'
import type { RunningWorker } from '#base/timing/run-periodically'
import { createWorkerStatistics, type WorkerStatistics } from '#base/timing/worker-statistics'

/** Below this size of the process, a collection is not worth its time. */
const MIN_PROCESS_BYTES = 165_000_000
/** The process collects again after it has grown by this much, or by this share of its size if that is more. */
const MIN_GROWTH_BYTES = 20_000_000
const MIN_GROWTH_SHARE = 0.15
const CHECK_EVERY_MS = 50

/** The size at which the process collects. */
let threshold = MIN_PROCESS_BYTES

/** Collects the garbage if the process is large and has grown since its last collection. Unlike `Bun.gc`, keeps compiled code. */
export function collectGarbage(): void {
  if (isCollectionDue()) collect()
}

/**
 * Collects the garbage if the process is large. For work that knows how much garbage it has made: the size of the process falls some time
 * after a collection, so collections by size come late when garbage is made fast.
 */
export function collectGarbageOfWork(): void {
  if (process.memoryUsage.rss() > MIN_PROCESS_BYTES) collect()
}

export function runGarbageCollection(statistics: WorkerStatistics = createWorkerStatistics()): RunningWorker {
  const timer = setInterval(() => {
    if (isCollectionDue()) void statistics.run(async () => collect())
  }, CHECK_EVERY_MS)
  return { stop: async () => clearInterval(timer) }
}

function isCollectionDue(): boolean {
  const size = process.memoryUsage.rss()
  threshold = Math.min(threshold, thresholdAbove(size))
  return size > threshold
}

function collect(): void {
  fullGC()
  threshold = thresholdAbove(process.memoryUsage.rss())
}

const thresholdAbove = (size: number): number =>
  Math.max(MIN_PROCESS_BYTES, size + Math.max(MIN_GROWTH_BYTES, size * MIN_GROWTH_SHARE))
