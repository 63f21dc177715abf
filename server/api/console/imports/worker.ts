/**
 * Runs imports beside requests: one at a time in each process, oldest first. A stop ends a running import at the end of its
 * batch.
 */

import type { AppContext } from '#context'
import { traceBackgroundWork } from '#base/monitoring/tracer'
import { periodicWorker } from '#base/timing/run-periodically'
import { queueWorker } from '#engine/queue'
import { type ImportWorkerContext, runLeasedImport } from './run-leased-import'
import { finishImport, importQueue, leaseImport, releaseImport } from './leases'
import { deleteExpiredImports } from './operations'

export const importWorker = queueWorker<ImportWorkerContext>({
  name: 'imports',
  does: 'runs imports',
  queue: importQueue,
  everyMs: 5_000,
  async take(context, shutdownSignal, logFailure) {
    const { db, now } = context
    const leased = await leaseImport(db, now())
    if (leased === undefined) return undefined
    return async () => {
      const { workspaceId, traceparent } = leased
      const attributes = { 'relata.import_id': leased.id }
      const end = await traceBackgroundWork(
        context.monitor?.tracer,
        { name: 'import', traceparent, workspaceId, attributes, isFailed: ({ state }) => state === 'failed' },
        () => runLeasedImport({ ...context, shutdownSignal, logFailure }, leased),
      )
      if (end.state !== 'interrupted') return finishImport(db.sql, leased, end, now())
      await releaseImport(db.sql, leased)
      // The cause of an interruption, such as a full disk, lasts.
      return false
    }
  },
})

export const oldImportDeletion = periodicWorker<AppContext>({
  name: 'old imports',
  does: 'deletes old imports',
  everyMs: 3_600_000,
  work: ({ db, now }) => deleteExpiredImports(db, now()),
})
