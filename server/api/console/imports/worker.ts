/**
 * Runs imports beside requests: one at a time in each process, oldest first. A stop ends a running import at the end of its
 * batch.
 */

import type { AppContext } from '#context'
import { traceBackgroundWork, type Tracer } from '#base/monitoring/tracer'
import { periodicWorker } from '#base/timing/run-periodically'
import { queueWorker } from '#engine/queue'
import {
  finishImport,
  importQueue,
  leaseImport,
  releaseImport,
  type LeasedImport,
  type LeaseState,
  type NumberedProblem,
  storeProgress,
} from './leases'
import { deleteExpiredImports } from './operations'
import type { Database } from '#db/connect'
import { getWritableObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { readDataRows, readHeader } from '#transfer/import/csv/csv'
import { type BackgroundContext, openBackgroundContext } from '#engine/entities/write/background-context'
import { ImportError, withUndo } from '#transfer/import/import-context'
import { checkMapping } from '#transfer/import/mapping/check-mapping'
import { addCounts, type RowCounts, type RowProblem } from '#transfer/import/row-outcomes'
import { runImport } from '#transfer/import/run-import'
import { logError } from '#base/logging/log-error'
import type { LogFailure } from '#base/timing/worker-statistics'
import { createMissing } from '#api/resources/attributes/create'
import { readUncountedCreations } from '#engine/storage/imports/imported-records'
import type { Clock } from '#base/timing/clock'
import type { EventPipeline } from '#events/webhooks/event-pipeline'
import { countryOf, identificationOf, mappingOf, refuseMissing } from './plan'
import { openStoredFile } from './upload'

export const importWorker = queueWorker<ImportWorkerContext>({
  name: 'imports',
  does: 'runs imports',
  queue: importQueue,
  everyMs: 5_000,
  async take(context, shutdownSignal, logFailure) {
    const leased = await leaseImport(context.db, context.now())
    return leased && (() => runTraced({ ...context, shutdownSignal, logFailure }, leased))
  },
})

async function runTraced(context: ImportRun, leased: LeasedImport): Promise<unknown> {
  const { db, now } = context
  const { workspaceId, traceparent } = leased
  const attributes = { 'relata.import_id': leased.id }
  const end = await traceBackgroundWork(
    context.monitor?.tracer,
    { name: 'import', traceparent, workspaceId, attributes, isFailed: ({ state }) => state === 'failed' },
    () => runLeasedImport(context, leased),
  )
  if (end.state !== 'interrupted') return finishImport(db.sql, leased, end, now())
  await releaseImport(db.sql, leased)
  // The cause of an interruption, such as a full disk, lasts.
  return false
}

export const oldImportDeletion = periodicWorker<AppContext>({
  name: 'old imports',
  does: 'deletes old imports',
  everyMs: 3_600_000,
  work: ({ db, now }) => deleteExpiredImports(db, now()),
})

// Runs an import that this process has leased, from its plan to its end. Progress is stored as the import runs, so a
// process that takes over after a crash continues behind the rows that are counted. See docs/decisions/import-runs-and-undo.md.

const BATCH_ROWS = 500

interface ImportRun extends ImportWorkerContext {
  /** Aborted when the service stops. The import then waits for another process, or for the next start. */
  readonly shutdownSignal: AbortSignal
  readonly logFailure: LogFailure
}

interface ImportWorkerContext {
  readonly db: Database
  readonly now: Clock
  /** Woken after each batch, since webhooks may wait for its change events. */
  readonly events?: Pick<EventPipeline, 'wake'>
  readonly monitor?: { readonly tracer: Tracer | undefined }
}

/** After `interrupted`, a process continues the import later. */
type ImportEnd =
  | { readonly state: 'interrupted' }
  | { readonly state: 'finished' | 'cancelled' }
  | { readonly state: 'failed'; readonly failure: string }

/** An error of the import is not thrown, but is its end. The message of a failure is for the member who began the import. */
async function runLeasedImport(context: ImportRun, leased: LeasedImport): Promise<ImportEnd> {
  const progress = trackProgress(context.db, context.now, leased)
  try {
    await importLeased(context, leased, progress)
    await progress.finish()
    return { state: 'finished' }
  } catch (error) {
    await progress.finish()
    return endAfter(context, error, leased, progress)
  }
}

const INTERNAL_FAILURE = 'Something went wrong on our side. What was imported until then stays.'

/** Thrown between two batches, or two pieces of the file, when the import has to stop. */
class Interrupted extends Error {}

function endAfter(
  { logFailure }: ImportRun,
  error: unknown,
  { id }: LeasedImport,
  progress: ProgressTracker,
): ImportEnd {
  if (error instanceof Interrupted) return { state: progress.isCancelled() ? 'cancelled' : 'interrupted' }
  // The messages of both are written for people.
  const isForPeople = error instanceof ImportError || error instanceof ApiError
  if (isForPeople && !isTransient(error)) return { state: 'failed', failure: error.message }
  logFailure('An import was interrupted.', error, { import_id: id })
  // The import is retried after an error of the database that a retry may not meet, and after any other error as long as each run reads more rows.
  const isRetried = isTransient(error) || progress.hasReadRows()
  return isRetried ? { state: 'interrupted' } : { state: 'failed', failure: INTERNAL_FAILURE }
}

async function importLeased(
  { db, now, events, shutdownSignal }: ImportRun,
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
        events?.wake()
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

/** Stores the progress of an import twice a second, and reads with each update whether this process still has the lease. */
const EVERY_MS = 500
/** A full buffer is stored at once. */
const MAX_BUFFERED = 2000
/** Further problems are counted and not stored. */
const MAX_STORED = 100_000

type ProgressTracker = ReturnType<typeof trackProgress>

export function trackProgress(db: Database, now: Clock, leased: LeasedImport) {
  let { counts, problems } = leased
  let bytesRead = 0
  let buffer: NumberedProblem[] = []
  let leaseState: LeaseState = leased.isCancelled ? 'cancelled' : 'ours'
  let pendingStore: Promise<void> | undefined

  /** Keeps the problems in the buffer when the update fails. */
  async function storeNow(): Promise<void> {
    const newProblems = buffer
    buffer = []
    try {
      leaseState = await storeProgress(db.sql, leased, { counts, bytesRead, problems, newProblems }, now())
    } catch (error) {
      buffer = [...newProblems, ...buffer]
      throw error
    }
  }

  /** Runs one update at a time. A failed update does not end the import as long as its lease lasts. */
  const store = (): Promise<void> =>
    (pendingStore ??= storeNow()
      .catch((error: unknown) => logError('The progress of an import could not be stored yet.', error))
      .finally(() => (pendingStore = undefined)))

  const timer = setInterval(() => void store(), EVERY_MS)
  return {
    onRead: (bytes: number): void => {
      bytesRead = bytes
    },
    onCounts: (newCounts: RowCounts): void => {
      counts = newCounts
    },
    async onProblem({ line, outcome, column, value, reason }: RowProblem): Promise<void> {
      problems++
      if (problems <= MAX_STORED) buffer.push({ number: problems, line, outcome, column, value, reason })
      if (buffer.length >= MAX_BUFFERED) await store()
    },
    ownsLease: (): boolean => leaseState === 'ours',
    isCancelled: (): boolean => leaseState === 'cancelled',
    hasReadRows: (): boolean => counts.read > leased.counts.read,
    /** Stores the rest. */
    async finish(): Promise<void> {
      clearInterval(timer)
      await pendingStore
      await storeNow()
    },
  }
}
