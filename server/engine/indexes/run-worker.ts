/** Runs the index worker in the background: on notifications, and at intervals. */

import { TABLE_NEEDED_CHANNEL } from '#engine/data-model/change-model'
import { logError } from '#base/logging/log-error'
import { createWorkLoop } from '#base/timing/work-loop'
import { INDEXES_CHANNEL } from './store'
import { createIndexWorker, type IndexWorkerOptions } from './worker'

const POLL_MS = 60_000
const MAINTENANCE_MS = 3_600_000
const INTERRUPT_RETRY_MS = 100

export interface RunningIndexWorker {
  /** Interrupts a running build. The next start resumes it. */
  stop(): Promise<void>
}

export async function runIndexWorker(options: IndexWorkerOptions): Promise<RunningIndexWorker> {
  const worker = createIndexWorker(options)
  const state = { isMaintenanceDue: false, isStopped: false }

  const loop = createWorkLoop(async () => {
    if (state.isMaintenanceDue) {
      state.isMaintenanceDue = false
      await worker.dropUnused()
      await worker.correctEstimates()
    }
    while (!state.isStopped && (await worker.buildNext()) !== undefined);
  }, logFailure)
  const build = loop.request
  const maintainAndBuild = () => {
    state.isMaintenanceDue = true
    loop.request()
  }
  const { sql } = options.db
  const listeners = [
    await sql.listen(INDEXES_CHANNEL, build, build),
    // A change of the data model has priority over a build.
    await sql.listen(TABLE_NEEDED_CHANNEL, (workspaceId) => void worker.interrupt(workspaceId).catch(logFailure)),
  ]
  const timers = [setInterval(build, POLL_MS), setInterval(maintainAndBuild, MAINTENANCE_MS)]
  return {
    async stop() {
      state.isStopped = true
      loop.stop()
      for (const timer of timers) clearInterval(timer)
      while (loop.running) {
        await worker.interrupt()
        // An interrupt between two statements has no effect, so it is repeated.
        await Promise.race([loop.running, Bun.sleep(INTERRUPT_RETRY_MS)])
      }
      await Promise.all(listeners.map((listener) => listener.unlisten()))
    },
  }
}

/** The service works without the indexes, only more slowly. */
const logFailure = (error: unknown): void => logError('Building or dropping indexes failed.', error)
