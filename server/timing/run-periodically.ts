import { logError } from '../logging/log-error'

export interface PeriodicTask {
  /** Waits for the round that runs. */
  stop(): Promise<void>
}

/**
 * Does something every so often beside the service's other work, one round at a time. A round that fails is told of with
 * `failure`, and the next one comes all the same. `stopping` is aborted when a round is to end soon.
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
