/** Runs imports beside the service's work: one at a time in each process, those that wait longest first. */

import type { Database } from '../../../db/connect'
import type { Clock } from '../../time'
import { runImport } from './run-import'
import { claimImport, endImport, leaveImport } from './running'
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
  /** One that runs is left at the end of its batch. */
  stop(): Promise<void>
}

export interface ImportWorkerOptions {
  readonly db: Database
  readonly now: Clock
  readonly onWritten: () => void
  readonly lookEveryMs?: number
}

export function runImports({ db, now, onWritten, lookEveryMs = LOOK_EVERY_MS }: ImportWorkerOptions): RunningImports {
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
      .catch((error: unknown) => console.error('Looking for imports failed.', error))
      .finally(() => (pass = undefined))
  }

  const tidy = () => {
    const at = now()
    deleteOldImports(db.sql, { unused: at - UNUSED_DAYS * DAY, ended: at - ENDED_DAYS * DAY }).catch((error: unknown) =>
      console.error('Deleting old imports failed.', error),
    )
  }

  const timers = [setInterval(wake, lookEveryMs), setInterval(tidy, TIDY_EVERY_MS)]
  wake()
  return {
    wake,
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await pass
    },
  }
}
