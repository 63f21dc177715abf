/** Runs imports beside the service's work: one at a time in each process, those that wait longest first. */

import type { Database } from '../../../db/connect'
import { logError } from '../../logging/log-error'
import { runPeriodically } from '../../timing/run-periodically'
import type { Clock, Micros } from '../../timing/clock'
import { runImport } from './run-leased-import'
import { claimImport, endImport, leaveImport } from './leases'
import { deleteOldImports } from './store'

/** What another process left behind is found in this time. */
const LOOK_EVERY_MS = 5_000
const TIDY_EVERY_MS = 3_600_000
const DAY = 24 * 3600 * 1_000_000
const UNUSED_DAYS = 1
const ENDED_DAYS = 30

export interface RunningImports {
  /** There may be one to run. */
  wake(): void
  /** Resolves when none runs and none waits that was there to be found. */
  settled(): Promise<void>
  /** One that runs is left at the end of its batch. */
  stop(): Promise<void>
}

export interface ImportWorkerOptions {
  readonly db: Database
  readonly now: Clock
  readonly onWritten: () => void
}

export function runImports({ db, now, onWritten }: ImportWorkerOptions): RunningImports {
  const stopping = new AbortController()
  let pass: Promise<void> | undefined
  let isAskedAgain = false

  /** Gives whether there was one. */
  async function runNext(): Promise<boolean> {
    const lease = crypto.randomUUID()
    const claimed = await claimImport(db.sql, lease, now())
    if (claimed === undefined) return false
    const ending = await runImport({ db, now, onWritten, stopping: stopping.signal }, claimed, lease)
    if (ending.state === 'interrupted') await leaveImport(db.sql, claimed, lease)
    else await endImport(db.sql, claimed, lease, ending, now())
    return true
  }

  async function runAll(): Promise<void> {
    isAskedAgain = false
    while (!stopping.signal.aborted && (await runNext()));
    if (isAskedAgain && !stopping.signal.aborted) await runAll()
  }

  function wake(): void {
    isAskedAgain = true
    if (stopping.signal.aborted) return
    pass ??= runAll()
      .catch((error: unknown) => logError('Imports are held up.', error))
      .finally(() => (pass = undefined))
  }

  async function settled(): Promise<void> {
    await pass
    if (pass !== undefined) await settled()
  }

  const looking = setInterval(wake, LOOK_EVERY_MS)
  const tidying = runPeriodically(TIDY_EVERY_MS, () => tidyImports(db, now()), 'Old imports could not be deleted yet.')
  wake()
  return {
    wake,
    settled,
    async stop() {
      stopping.abort()
      clearInterval(looking)
      await tidying.stop()
      await pass
    },
  }
}

/** Forgets what nobody began, and what ended long ago. */
export const tidyImports = (db: Database, now: Micros): Promise<void> =>
  deleteOldImports(db.sql, { unused: now - UNUSED_DAYS * DAY, ended: now - ENDED_DAYS * DAY })
