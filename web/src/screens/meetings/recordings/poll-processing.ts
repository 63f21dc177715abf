/** No event says that a video could not be fetched, so recordings that are processed are read again. */

import type { CallRecording } from '../../../api/meetings/call-recordings'

const CHECK_EVERY_MS = 10_000

interface Timers {
  setInterval(run: () => void, everyMs: number): unknown
  clearInterval(timer: unknown): void
}

const OF_THE_BROWSER: Timers = {
  setInterval: (run, everyMs) => setInterval(run, everyMs),
  clearInterval: (timer) => clearInterval(timer as number), // of `setInterval`
}

/** Reads the recordings at an interval while one is processed, also after a read that failed. Returns a function that stops. */
export function pollProcessing(
  recordings: readonly Pick<CallRecording, 'status'>[] | undefined,
  read: () => unknown,
  timers = OF_THE_BROWSER,
): (() => void) | undefined {
  if (recordings?.some(({ status }) => status === 'processing') !== true) return undefined
  const timer = timers.setInterval(read, CHECK_EVERY_MS)
  return () => timers.clearInterval(timer)
}
