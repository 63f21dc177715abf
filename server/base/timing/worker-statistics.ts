/** What each worker of this process did, for the metrics. */

import { logError } from '#base/logging/log-error'

export interface WorkerState {
  /** The pieces of work that run now, and those that ended. */
  readonly running: number
  readonly runs: number
  readonly failures: number
  /** The durations of all runs that ended. */
  readonly seconds: number
}

export type LogFailure = typeof logError

export interface WorkerStatistics {
  /** Counts a piece of work. An error of it passes through, and is for the caller to hand to `logFailure`. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Logs what the worker could not do, as `logError` does, and counts it. */
  readonly logFailure: LogFailure
  /** Counts a failure that is no error of the worker, such as that of a receiver. */
  countFailure(): void
  state(): WorkerState
}

export function createWorkerStatistics(): WorkerStatistics {
  const state = { running: 0, runs: 0, failures: 0, seconds: 0 }
  return {
    async run(work) {
      const startedAt = performance.now()
      state.running += 1
      try {
        return await work()
      } finally {
        state.running -= 1
        state.runs += 1
        state.seconds += (performance.now() - startedAt) / 1000
      }
    },
    logFailure(message, error, about) {
      state.failures += 1
      logError(message, error, about)
    },
    countFailure() {
      state.failures += 1
    },
    state: () => ({ ...state }),
  }
}

/** The statistics of all workers of a process, by their names. */
export interface StatisticsOfWorkers {
  /** Returns the same statistics for the same name. */
  of(name: string): WorkerStatistics
  states(): [name: string, state: WorkerState][]
}

export function createStatisticsOfWorkers(): StatisticsOfWorkers {
  const all = new Map<string, WorkerStatistics>()
  return {
    of(name) {
      const statistics = all.get(name) ?? createWorkerStatistics()
      all.set(name, statistics)
      return statistics
    },
    states: () => [...all].map(([name, statistics]) => [name, statistics.state()]),
  }
}
