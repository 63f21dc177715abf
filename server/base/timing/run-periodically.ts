import { runOutsideScope } from '#base/monitoring/trace-context'
import { logError } from '#base/logging/log-error'
import { createWorkerStatistics, type WorkerStatistics } from './worker-statistics'

/** Something that each process does beside requests. */
export interface WorkerDefinition<Context> {
  readonly name: string
  /** What it does, in the words after "The worker that". */
  readonly does: string
  /** `statistics` counts what the worker does. */
  start(context: Context, statistics?: WorkerStatistics): RunningWorker | Promise<RunningWorker>
}

export interface RunningWorker {
  /** Makes the worker look for work. */
  wake?(): void
  /** Ends what runs, or waits for its end. */
  stop(): Promise<void>
}

interface PeriodicWorker<Context> {
  readonly name: string
  readonly does: string
  readonly everyMs: number
  readonly work: (context: Context, stopping: AbortSignal) => Promise<void>
}

/** Defines a worker that runs `work` at an interval. */
export const periodicWorker = <Context>({
  name,
  does,
  everyMs,
  work,
}: PeriodicWorker<Context>): WorkerDefinition<Context> => ({
  name,
  does,
  start: (context, statistics = createWorkerStatistics()) =>
    runPeriodically(
      everyMs,
      (stopping) => statistics.run(() => work(context, stopping)),
      failureOf({ does, everyMs }),
      statistics.logFailure,
    ),
})

/** What the log says of a worker that failed. */
export const failureOf = ({ does, everyMs }: { readonly does: string; readonly everyMs: number }): string =>
  `The worker that ${does} failed. It tries again after ${everyMs / 1000} seconds.`

/**
 * Runs `work` at an interval, never twice at the same time. Hands a failed run with `failure` to `log` and continues. Aborts `stopping`
 * when the task is stopped.
 */
export function runPeriodically(
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<void>,
  failure: string,
  log: (message: string, error: unknown) => void = logError,
): RunningWorker {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work(stopping.signal)
      .catch((error: unknown) => log(failure, error))
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
      // A run serves others than the request that asks for it.
      running = runOutsideScope(run)
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
