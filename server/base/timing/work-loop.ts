/** Runs `work` on request, one run at a time. A request during a run makes one more run follow it. */

export interface WorkLoop {
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
