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

/** Runs `work` on request, one run at a time. A request during a run makes one more run follow it. */

interface WorkLoop {
  request(): void
  /** The present run and those that follow it; undefined when none runs. */
  readonly running: Promise<void> | undefined
  /** Resolves when no run is left. */
  settled(): Promise<void>
  /** No run begins after this call. */
  stop(): void
}

/** A failed run goes to `onError`. The next request runs `work` again. */
export function createWorkLoop(work: () => Promise<void>, onError: (error: unknown) => void): WorkLoop {
  const state = { isRequested: false, isRunning: false, isStopped: false }
  let running = Promise.resolve()

  async function run(): Promise<void> {
    while (state.isRequested && !state.isStopped) {
      state.isRequested = false
      try {
        await work()
      } catch (error) {
        onError(error)
      }
    }
    state.isRunning = false
  }

  async function settled(): Promise<void> {
    await running
    if (state.isRunning) await settled()
  }

  return {
    request() {
      if (state.isStopped) return
      state.isRequested = true
      if (state.isRunning) return
      state.isRunning = true
      running = run()
    },
    get running() {
      return state.isRunning ? running : undefined
    },
    settled,
    stop() {
      state.isStopped = true
    },
  }
}

/** Does pieces of work one after the other, beside requests: when it is woken, and at an interval. */
export interface PollingWorker {
  /** Makes the worker look for work. */
  wake(): void
  /** Resolves when nothing runs and nothing is due. */
  settled(): Promise<void>
  /** Aborts the signal of the current piece of work, and waits for its end. */
  stop(): Promise<void>
}

interface PollingWorkerOptions {
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
