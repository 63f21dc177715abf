/** Runs imports beside requests: one at a time in each process, oldest first. */

import type { Database } from '../../../db/connect'
import { logError } from '../../logging/log-error'
import { runPeriodically } from '../../timing/run-periodically'
import type { Clock } from '../../timing/clock'
import { createWorkLoop } from '../../timing/work-loop'
import { runLeasedImport } from './run-leased-import'
import { finishImport, leaseImport, releaseImport } from './leases'
import { deleteExpiredImports } from './delete-imports'

/** The time in which an import of a dead worker is found. */
const POLL_EVERY_MS = 5_000
const DELETE_EVERY_MS = 3_600_000

export interface ImportWorker {
  /** Makes the worker look for an import. */
  wake(): void
  /** Resolves when no import runs or waits. */
  settled(): Promise<void>
  /** Stops a running import at the end of its batch. */
  stop(): Promise<void>
}

export interface ImportWorkerOptions {
  readonly db: Database
  readonly now: Clock
  readonly onWritten: () => void
}

export function startImportWorker({ db, now, onWritten }: ImportWorkerOptions): ImportWorker {
  const shutdown = new AbortController()

  /** Returns false when no import waits. */
  async function runNext(): Promise<boolean> {
    const leaseId = crypto.randomUUID()
    const leased = await leaseImport(db.sql, leaseId, now())
    if (leased === undefined) return false
    const end = await runLeasedImport({ db, now, onWritten, shutdownSignal: shutdown.signal }, leased, leaseId)
    if (end.state === 'interrupted') await releaseImport(db.sql, leased, leaseId)
    else await finishImport(db.sql, leased, leaseId, end, now())
    return true
  }

  const loop = createWorkLoop(
    async () => {
      while (!shutdown.signal.aborted && (await runNext()));
    },
    (error) => logError('The import worker failed; it tries again in five seconds.', error),
  )
  const polling = setInterval(loop.request, POLL_EVERY_MS)
  const deletion = runPeriodically(
    DELETE_EVERY_MS,
    () => deleteExpiredImports(db, now()),
    'Old imports could not be deleted yet.',
  )
  loop.request()
  return {
    wake: loop.request,
    settled: loop.settled,
    async stop() {
      shutdown.abort()
      loop.stop()
      clearInterval(polling)
      await deletion.stop()
      await loop.settled()
    },
  }
}
