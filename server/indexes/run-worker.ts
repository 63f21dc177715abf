/** Runs the index worker in the background: on notifications, and at intervals. */

import { TABLE_NEEDED_CHANNEL } from '../data-model/change-model'
import { logError } from '../logging/log-error'
import { INDEXES_CHANNEL } from './store'
import { createIndexWorker, type IndexWorkerOptions } from './worker'

const POLL_MS = 60_000
const DROP_UNUSED_MS = 3_600_000
const INTERRUPT_RETRY_MS = 100

export interface RunningIndexWorker {
  /** Interrupts a running build. The next start resumes it. */
  stop(): Promise<void>
}

export async function runIndexWorker(options: IndexWorkerOptions): Promise<RunningIndexWorker> {
  const worker = createIndexWorker(options)
  const state: { pass?: Promise<void>; isRequestedAgain: boolean; isStopped: boolean } = {
    isRequestedAgain: false,
    isStopped: false,
  }

  async function buildAll(): Promise<void> {
    state.isRequestedAgain = false
    while (!state.isStopped && (await worker.buildNext()) !== undefined);
    if (state.isRequestedAgain && !state.isStopped) await buildAll()
  }

  /** Runs one pass at a time. A request during a pass makes it build again at its end. */
  function run(work: () => Promise<void>): void {
    state.isRequestedAgain = true
    if (state.isStopped) return
    state.pass ??= work()
      .catch(logFailure)
      .finally(() => delete state.pass)
  }

  const build = () => run(buildAll)
  const dropAndBuild = () => run(() => worker.dropUnused().then(buildAll))
  const { sql } = options.db
  const listeners = [
    await sql.listen(INDEXES_CHANNEL, build, build),
    // A change of the data model has priority over a build.
    await sql.listen(TABLE_NEEDED_CHANNEL, (workspaceId) => void worker.interrupt(workspaceId).catch(logFailure)),
  ]
  const timers = [setInterval(build, POLL_MS), setInterval(dropAndBuild, DROP_UNUSED_MS)]
  return {
    async stop() {
      state.isStopped = true
      for (const timer of timers) clearInterval(timer)
      while (state.pass) {
        await worker.interrupt()
        // An interrupt between two statements has no effect, so it is repeated.
        await Promise.race([state.pass, Bun.sleep(INTERRUPT_RETRY_MS)])
      }
      await Promise.all(listeners.map((listener) => listener.unlisten()))
    },
  }
}

/** Indexes make queries faster; without them the service goes on. */
const logFailure = (error: unknown): void => logError('Building or dropping indexes failed.', error)
