import { logError } from '#base/logging/log-error'

export interface PeriodicTask {
  /** Waits for the current run. */
  stop(): Promise<void>
}

/**
 * Runs `work` at an interval, never twice at the same time. Logs a failed run with `failure` and continues. Aborts `stopping`
 * when the task is stopped.
 */
export function runPeriodically(
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<void>,
  failure: string,
): PeriodicTask {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work(stopping.signal)
      .catch((error: unknown) => logError(failure, error))
      .finally(() => (running = undefined))
  }, everyMs)
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await running
    },
  }
}
