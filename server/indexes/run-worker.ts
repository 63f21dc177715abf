/** Lets a worker work whenever there is something to do. */

import { TABLE_NEEDED_CHANNEL } from '../data-model/change'
import { INDEXES_CHANNEL } from './store'
import { createIndexWorker, type IndexWorkerOptions } from './worker'

const LOOK_EVERY_MS = 60_000
const DROP_EVERY_MS = 3_600_000
const INTERRUPT_EVERY_MS = 100

export interface RunningWorker {
  /** What is half-built is taken up at the next start. */
  stop(): Promise<void>
}

export async function runIndexWorker(options: IndexWorkerOptions): Promise<RunningWorker> {
  const worker = createIndexWorker(options)
  const state: { pass?: Promise<void>; isAskedAgain: boolean; isStopped: boolean } = {
    isAskedAgain: false,
    isStopped: false,
  }

  async function buildAll(): Promise<void> {
    state.isAskedAgain = false
    while (!state.isStopped && (await worker.buildNext()) !== undefined);
    if (state.isAskedAgain && !state.isStopped) await buildAll()
  }

  /** One pass at a time; being asked meanwhile means another look at its end. */
  function run(work: () => Promise<void>): void {
    state.isAskedAgain = true
    if (state.isStopped) return
    state.pass ??= work()
      .catch(logFailure)
      .finally(() => delete state.pass)
  }

  const look = () => run(buildAll)
  const dropAndLook = () => run(() => worker.dropUnused().then(buildAll))
  const { sql } = options.db
  const listeners = [
    await sql.listen(INDEXES_CHANNEL, look, look),
    // Whoever changes the data model goes first.
    await sql.listen(TABLE_NEEDED_CHANNEL, (workspaceId) => void worker.interrupt(workspaceId).catch(logFailure)),
  ]
  const timers = [setInterval(look, LOOK_EVERY_MS), setInterval(dropAndLook, DROP_EVERY_MS)]
  return {
    async stop() {
      state.isStopped = true
      for (const timer of timers) clearInterval(timer)
      while (state.pass) {
        await worker.interrupt()
        // Between two statements there was nothing to end.
        await Promise.race([state.pass, Bun.sleep(INTERRUPT_EVERY_MS)])
      }
      await Promise.all(listeners.map((listener) => listener.unlisten()))
    },
  }
}

/** Indexes make queries faster; without them the service goes on. */
const logFailure = (error: unknown): void => console.error('Building or dropping indexes failed.', error)
