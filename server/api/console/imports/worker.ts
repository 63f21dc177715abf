/**
 * Runs imports beside requests: one at a time in each process, oldest first. A stop ends a running import at the end of its
 * batch.
 */

import type { Database } from '#db/connect'
import { type PollingWorker, runPeriodically, startPollingWorker } from '#base/timing/run-periodically'
import type { Clock } from '#base/timing/clock'
import { runLeasedImport } from './run-leased-import'
import { finishImport, leaseImport, releaseImport } from './leases'
import { deleteExpiredImports } from './operations'

/** The time in which an import of a dead worker is found. */
const POLL_EVERY_MS = 5_000
const DELETE_EVERY_MS = 3_600_000

export interface ImportWorkerOptions {
  readonly db: Database
  readonly now: Clock
  readonly onWritten: () => void
}

export function startImportWorker({ db, now, onWritten }: ImportWorkerOptions): PollingWorker {
  async function runNext(shutdownSignal: AbortSignal): Promise<boolean> {
    const leaseId = crypto.randomUUID()
    const leased = await leaseImport(db, leaseId, now())
    if (leased === undefined) return false
    const end = await runLeasedImport({ db, now, onWritten, shutdownSignal }, leased, leaseId)
    if (end.state === 'interrupted') await releaseImport(db.sql, leased, leaseId)
    else await finishImport(db.sql, leased, leaseId, end, now())
    // The cause of an interruption, such as a full disk, lasts. The worker looks again after its interval.
    return end.state !== 'interrupted'
  }

  const worker = startPollingWorker({
    runNext,
    pollEveryMs: POLL_EVERY_MS,
    failure: 'The import worker failed; it tries again in five seconds.',
  })
  const deletion = runPeriodically(
    DELETE_EVERY_MS,
    () => deleteExpiredImports(db, now()),
    'Old imports could not be deleted yet.',
  )
  return {
    ...worker,
    async stop() {
      await Promise.all([worker.stop(), deletion.stop()])
    },
  }
}
