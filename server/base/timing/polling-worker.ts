/** Does pieces of work one after the other, beside requests: when it is woken, and at an interval. */

import { logError } from '#base/logging/log-error'
import { createWorkLoop } from './work-loop'

export interface PollingWorker {
  /** Makes the worker look for work. */
  wake(): void
  /** Resolves when nothing runs and nothing is due. */
  settled(): Promise<void>
  /** Aborts the signal of the current piece of work, and waits for its end. */
  stop(): Promise<void>
}

export interface PollingWorkerOptions {
  /** Does one piece of work. Returns false when none is due. */
  readonly runNext: (shutdownSignal: AbortSignal) => Promise<boolean>
  /** The time after which the worker looks for work without a wake-up, and tries again after a failure. */
  readonly pollEveryMs: number
  /** What the log says of an error of `runNext`. */
  readonly failure: string
}

export function startPollingWorker({ runNext, pollEveryMs, failure }: PollingWorkerOptions): PollingWorker {
  const shutdown = new AbortController()
  const loop = createWorkLoop(
    async () => {
      while (!shutdown.signal.aborted && (await runNext(shutdown.signal)));
    },
    (error) => logError(failure, error),
  )
  const polling = setInterval(loop.request, pollEveryMs)
  loop.request()
  return {
    wake: loop.request,
    settled: loop.settled,
    async stop() {
      shutdown.abort()
      loop.stop()
      clearInterval(polling)
      await loop.settled()
    },
  }
}
