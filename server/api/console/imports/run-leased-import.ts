/**
 * Runs an import that this process has leased, from its plan to its end. Progress is stored as the import runs, so a
 * process that takes over after a crash continues behind the rows that are counted. Decision 0070.
 */

import type { Database } from '#db/connect'
import { getWritableObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { readDataRows, readHeader } from '#transfer/import/csv/csv'
import { type BackgroundContext, openBackgroundContext } from '#engine/entities/write/background-context'
import { withUndo } from '#transfer/import/import-context'
import { ImportError } from '#transfer/import/import-error'
import { checkMapping } from '#transfer/import/mapping/check-mapping'
import { addCounts } from '#transfer/import/row-counts'
import { runImport } from '#transfer/import/run-import'
import { logError } from '#base/logging/log-error'
import { createMissing } from '#api/resources/attributes/create-missing'
import { readUncountedCreations } from '#engine/storage/imports/walk-import'
import type { Clock } from '#base/timing/clock'
import type { LeasedImport, LeaseId } from './leases'
import { countryOf, identificationOf, mappingOf } from './parse-plan'
import { refuseMissing } from './refuse-missing'
import { openStoredFile } from './stored-file'
import { type ProgressTracker, trackProgress } from './track-progress'

const BATCH_ROWS = 500

export interface ImportWorkerContext {
  readonly db: Database
  readonly now: Clock
  /** Called after each batch, since webhooks may wait for its change events. */
  readonly onWritten: () => void
  /** Aborted when the service stops. The import then waits for another process, or for the next start. */
  readonly shutdownSignal: AbortSignal
}

/** After `interrupted`, a process continues the import later. */
export type ImportEnd =
  | { readonly state: 'interrupted' }
  | { readonly state: 'finished' | 'cancelled' }
  | { readonly state: 'failed'; readonly failure: string }

/** An error of the import is not thrown, but is its end. The message of a failure is for the member who began the import. */
export async function runLeasedImport(
  context: ImportWorkerContext,
  leased: LeasedImport,
  leaseId: LeaseId,
): Promise<ImportEnd> {
  const progress = trackProgress(context.db, context.now, leased, leaseId)
  try {
    await importLeased(context, leased, progress)
    await progress.finish()
    return { state: 'finished' }
  } catch (error) {
    await progress.finish()
    return endAfter(error, leased, progress)
  }
}

const INTERNAL_FAILURE = 'Something went wrong on our side. What was imported until then stays.'

/** Thrown between two batches, or two pieces of the file, when the import has to stop. */
class Interrupted extends Error {}

function endAfter(error: unknown, { id }: LeasedImport, progress: ProgressTracker): ImportEnd {
  if (error instanceof Interrupted) return { state: progress.isCancelled() ? 'cancelled' : 'interrupted' }
  // The messages of both are written for people.
  const isForPeople = error instanceof ImportError || error instanceof ApiError
  if (isForPeople && !isTransient(error)) return { state: 'failed', failure: error.message }
  logError('An import was interrupted.', error, { import_id: id })
  // The import is retried after an error of the database that a retry may not meet, and after any other error as long as each run reads more rows.
  const isRetried = isTransient(error) || progress.hasReadRows()
  return isRetried ? { state: 'interrupted' } : { state: 'failed', failure: INTERNAL_FAILURE }
}

async function importLeased(
  { db, now, onWritten, shutdownSignal }: ImportWorkerContext,
  leased: LeasedImport,
  progress: ProgressTracker,
): Promise<void> {
  const { workspaceId, objectId, plan, delimiter, counts: earlier } = leased
  const stopIfRequested = () => {
    if (shutdownSignal.aborted || !progress.ownsLease()) throw new Interrupted()
  }
  const opened = await openBackgroundContext(db, workspaceId, now, (model) => actorOf(model, leased))
  const importContext = withUndo(opened, leased.id)
  const header = await readHeader(openStoredFile(db.sql, leased, delimiter, stopIfRequested))
  await createWhatIsMissing(importContext, leased, {
    header,
    rows: readDataRows(openStoredFile(db.sql, leased, delimiter, stopIfRequested)),
  })
  const { model } = importContext.context()
  await runImport(
    {
      importContext,
      objectId,
      file: openStoredFile(db.sql, leased, delimiter, progress.onRead),
      header,
      mapping: mappingOf(plan),
      identification: identificationOf(model, getWritableObject(model, objectId), plan),
      country: countryOf(plan),
      batchSize: BATCH_ROWS,
      overwrite: plan.overwrite,
      resume: {
        readRows: earlier.read,
        uncounted: await readUncountedCreations(db.sql, model, { importId: leased.id, counted: earlier.created }),
        startedAt: leased.startedAt,
      },
    },
    {
      onProgress(counts) {
        progress.onCounts(addCounts(earlier, counts))
        onWritten()
        stopIfRequested()
      },
      onProblem: progress.onProblem,
    },
  )
}

function actorOf(model: DataModel, { createdBy }: LeasedImport): number {
  const member = model.membersById.get(createdBy)
  if (member !== undefined && member.access_level !== 'suspended') return member.actor
  throw new ImportError('The person who started this import is no longer a member of the workspace.')
}

/** Reads the whole file; the preview read only its first rows. */
async function createWhatIsMissing(
  importContext: BackgroundContext,
  { objectId, plan, createdBy }: LeasedImport,
  file: Parameters<typeof checkMapping>[2],
): Promise<void> {
  const { model } = importContext.context()
  const { missing } = await checkMapping(model, objectId, file, mappingOf(plan))
  refuseMissing(model, createdBy, missing)
  await createMissing(importContext, objectId, missing)
}
