/** Runs jobs beside requests: one at a time in each process, in turns. A stop ends a running job at the end of its batch. */

import type { AppContext, ApiContext, RequestContext } from '#context'
import { traceBackgroundWork } from '#base/monitoring/tracer'
import { periodicWorker } from '#base/timing/run-periodically'
import { queueWorker } from '#engine/queue'
import {
  type BatchPlace,
  type BulkOperation,
  isUndo,
  type JobCaller,
  jobKindsOf,
  type JobPlan,
  type JobProgress,
  type JobTarget,
  type Position,
  type UndoOperation,
  type UndoTarget,
} from '#api/jobs/job'
import { deleteJobs, findEndedJobs } from '#api/jobs/store'
import type { Database } from '#db/connect'
import { loadDataModel } from '#engine/data-model/load'
import { createImportLog, deleteWrittenBy } from '#engine/storage/imports/imported-records'
import { endLease, jobQueue, leaseJob, postponeOthers, type JobEnd, type LeasedJob, saveProgress } from './leases'
import { type BatchResult, type EntityOperation, runBatch } from '#engine/entities/operations/run-batch'
import type { EntityKind } from '#engine/entities/operations/definitions'
import { isDeleted } from '#engine/data-model/access/hidden'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { CHANGED_SINCE_IMPORT } from '#base/errors/imports'
import { envelopeOf } from '#api/http/response/answer'
import type { LogFailure } from '#base/timing/worker-statistics'
import { findClientScopes } from '#access/tokens/tokens'
import { makeRequestContext } from '#api/http/guard/request-context'
import { commonScopes, type Scope } from '#vocabulary/scopes'
import { checkValues } from '#api/jobs/create-job'
import type { EntityType } from '#engine/data-model/model'
import { formQuery, pageStatement } from '#engine/query/forms/compiled-forms'
import { checkCost } from '#engine/query/planning/check-cost'
import { relativeContextAt } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { runStatement } from '#engine/query/run/run-statement'
import { compileLayout, createdAtText, idOf } from '#engine/storage/layout'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import { readNextToUndo, undoUpdates } from '#transfer/import/undo/undo-import'
import { pauseAfterStep } from '#base/timing/wait'

const ENDED_MICROS = 30 * 24 * 3600 * 1_000_000
const DELETED_AT_ONCE = 1000

/** `targets` are one for objects and one for lists. */
export const jobWorker = (targets: readonly JobTarget[], pause = pauseAfterStep) =>
  queueWorker<AppContext>({
    name: 'jobs',
    does: 'runs jobs',
    queue: jobQueue,
    // The time in which a job whose transaction was committed after the wake-up is found.
    everyMs: 2_000,
    async take(appContext, shutdownSignal, logFailure) {
      const { db, now } = appContext
      const job = await leaseJob(db, now())
      if (job === undefined) return undefined
      return async () => {
        const target = targets.find(({ entities }) => entities.kind === job.kind)
        if (target === undefined) throw new Error(`No target for jobs of the kind ${job.kind}.`)
        const { workspaceId, traceparent } = job
        const attributes = { 'relata.job_id': job.id, 'relata.operation': job.operation.op }
        const turn = await traceBackgroundWork(
          appContext.monitor?.tracer,
          { name: 'job', traceparent, workspaceId, attributes, isFailed: ({ end }) => end.state === 'failed' },
          () => runJob({ appContext, target, shutdownSignal, pause, logFailure }, job),
        )
        // Before the job itself, so that the other jobs of its workspace are due before it.
        await postponeOthers(db.sql, job, now())
        await endLease(db.sql, job, turn, now())
      }
    },
  })

export const oldJobDeletion = periodicWorker<AppContext>({
  name: 'old jobs',
  does: 'deletes old jobs',
  everyMs: 3_600_000,
  async work({ db, now }, stopping) {
    const before = now() - ENDED_MICROS
    while (!stopping.aborted && (await deleteEndedJobs(db, before, DELETED_AT_ONCE)) === DELETED_AT_ONCE);
  },
})

/** Deletes ended jobs with what the workspaces store for their undo. Returns how many there were. */
export async function deleteEndedJobs(db: Database, before: Micros, limit: number): Promise<number> {
  const ended = await findEndedJobs(db.sql, before, limit)
  for (const [workspaceId, jobs] of Map.groupBy(ended, (job) => job.workspaceId)) {
    const ids = jobs.map(({ id }) => id)
    const { schema } = await loadDataModel(db, workspaceId)
    await deleteWrittenBy(db.sql, schema, ids)
    await deleteJobs(db.sql, workspaceId, ids)
  }
  return ended.length
}

// Runs a turn of a job that this process has leased: some batches with pauses between them. Before a batch is written, it is
// stored which one it is, so that a process that takes over knows what may be written already. See docs/decisions/jobs.md.

/** How many entities a batch writes, each in a transaction of its own or all in one. */
export const JOB_BATCH_SIZE = 100
const BATCHES_OF_A_TURN = 10
const RETRY_AFTER_MICROS = 5_000_000
const MAX_ERRORS = 100

interface JobRunner {
  readonly appContext: AppContext
  readonly target: JobTarget
  /** Aborted when the service stops. */
  readonly shutdownSignal: AbortSignal
  /** Waits as long as a batch took during which requests arrived, so that a job uses at most half of the time of a connection. */
  pause(ms: number): Promise<void>
  readonly logFailure: LogFailure
}

interface JobTurn {
  readonly end: JobEnd
  readonly progress: JobProgress
}

const INTERNAL_FAILURE = 'Something went wrong on our side. What was done until then stays.'

/** An error is not thrown: it ends the job as failed, or lets it wait if it may be retried. */
async function runJob(runner: JobRunner, job: LeasedJob): Promise<JobTurn> {
  const { appContext } = runner
  const turn: RunningTurn = { progress: job.progress }
  const wait = (): JobTurn => ({ end: { state: 'waiting', delay: 0 }, progress: turn.progress })
  if (job.isCancelled) return wait()
  try {
    for (let batches = 0; batches < BATCHES_OF_A_TURN && !runner.shutdownSignal.aborted; batches++) {
      const startedAt = performance.now()
      const requests = appContext.requests.total
      const state = await runNextBatch(runner, job, turn)
      if (state === 'completed') return { end: { state }, progress: turn.progress }
      if (state === 'lost') break
      appContext.events?.wake()
      const isAlone = appContext.requests.total === requests
      await runner.pause(isAlone ? 0 : performance.now() - startedAt)
    }
    return wait()
  } catch (error) {
    const hasProgress = turn.progress.position !== job.progress.position
    return { end: endAfter(runner, error, job, hasProgress), progress: turn.progress }
  }
}

/** The progress is what the table has, also when a batch fails. */
interface RunningTurn {
  progress: JobProgress
}

/** The job is retried after an error of the database that a retry may not meet, and after any other error as long as each turn has progress. */
function endAfter({ logFailure }: JobRunner, error: unknown, { id }: LeasedJob, hasProgress: boolean): JobEnd {
  // The messages of both are written for people.
  const isForPeople = error instanceof JobFailure || error instanceof ApiError
  if (isForPeople && !isTransient(error)) return { state: 'failed', failure: error.message }
  logFailure('A job was interrupted.', error, { job_id: id })
  const isRetried = isTransient(error) || hasProgress
  return isRetried ? { state: 'waiting', delay: RETRY_AFTER_MICROS } : { state: 'failed', failure: INTERNAL_FAILURE }
}

/** `lost`: the job was cancelled, or another process has leased it. */
async function runNextBatch(
  { appContext, target }: JobRunner,
  job: LeasedJob,
  turn: RunningTurn,
): Promise<'written' | 'completed' | 'lost'> {
  const { progress } = turn
  const context = await openJobContext(appContext, job)
  const steps = stepsOf(target, job)
  const entities = await readNext(context, steps, progress)
  const last = lastOf(entities, progress.batch)
  if (last === undefined) return 'completed'
  // What an interrupted run has written may not match any more.
  const count = Math.max(entities.length, progress.batch?.count ?? 0)
  turn.progress = { ...progress, batch: { count, last } }
  if (!(await saveProgress(appContext.db.sql, job, turn.progress, appContext.now()))) {
    turn.progress = progress
    return 'lost'
  }
  const ids = entities.map(([, id]) => id)
  const results = ids.length > 0 ? await steps.write(context, ids) : []
  const conflict = results.find(isTransient)
  if (conflict !== undefined) throw conflict
  turn.progress = addResults(progress, { ids, results, written: count - ids.length, last })
  return 'written'
}

/** An interrupted batch ends where it ended, unless so many match now that they fill another batch. */
const lastOf = (entities: readonly Position[], interrupted: JobProgress['batch']): Position | undefined =>
  interrupted === null || entities.length === JOB_BATCH_SIZE ? entities.at(-1) : interrupted.last

/** An interrupted batch is read again, without what comes after it. */
const readNext = (
  context: ApiContext,
  steps: JobSteps,
  { position, batch }: JobProgress,
): Promise<readonly Position[]> =>
  retryOnConflict(context, async (context) => {
    const found = await steps.readNext(context, { after: position, limit: JOB_BATCH_SIZE })
    return batch === null ? found : found.filter((each) => steps.isUpTo(each, batch.last))
  })

interface BatchOutcome {
  readonly ids: readonly string[]
  readonly results: readonly BatchResult[]
  /** How many an interrupted run of this batch has written. */
  readonly written: number
  readonly last: Position
}

function addResults(progress: JobProgress, { ids, results, written, last }: BatchOutcome): JobProgress {
  const refused = results.flatMap((result, index) => {
    const id = ids[index]
    return result instanceof ApiError && id !== undefined ? [{ id, error: result }] : []
  })
  // An entity that was deleted meanwhile is neither done nor failed.
  const left = refused.filter(({ error }) => error.status !== 404)
  const kept = left.filter(({ error }) => error.code === CHANGED_SINCE_IMPORT).length
  const errors = left.map(({ id, error }) => ({ id, error: envelopeOf(error) }))
  return {
    done: progress.done + written + results.length - refused.length,
    failed: progress.failed + left.length - kept,
    kept: progress.kept + kept,
    errors: [...progress.errors, ...errors].slice(0, MAX_ERRORS),
    position: last,
    batch: null,
  }
}

// The context in which a job writes: that of a request by its caller, with the access that the caller has now.

/** Ends a job. The message is a sentence for the person who created it. */
class JobFailure extends Error {}

/** Nothing aborts a job's statements. */
const NO_REQUEST = new Request('http://job.internal/')

/** Throws `JobFailure` when the caller has no access any more, or when the entity type was deleted. */
async function openJobContext(
  appContext: AppContext,
  { workspaceId, caller, entityTypeId, kind }: JobPlan,
): Promise<ApiContext> {
  const { actor, memberId, clientId } = caller
  const scopes = await presentScopes(appContext, workspaceId, caller)
  if (!jobKindsOf(scopes).includes(kind))
    throw new JobFailure('The app or API key that created this job may not do any more what the job does.')
  const request = { key: '', limited: false, workspaceId, actor, authorizedBy: memberId, scopes }
  const context = await makeRequestContext(
    appContext,
    clientId === undefined ? request : { ...request, clientId },
    NO_REQUEST,
  )
  const { model } = context
  const entityType = model.entityTypesById.get(entityTypeId)
  if (entityType === undefined || isDeleted(model, entityType)) throw new JobFailure(`The ${kind} was deleted.`)
  if (clientId === undefined) {
    const member = model.membersById.get(memberId)
    if (member === undefined || member.access_level === 'suspended')
      throw new JobFailure('The person who created this job is no longer a member of the workspace.')
  }
  // Pauses limit a job instead of the score of its queries.
  return { ...context, costLimit: undefined }
}

/** Those of the request that created the job, as far as the caller still has them. */
async function presentScopes(
  { db }: AppContext,
  workspaceId: string,
  { clientId, memberId, scopes }: JobCaller,
): Promise<ReadonlySet<Scope>> {
  if (clientId === undefined) return scopes
  const present = await findClientScopes(db, { workspaceId, clientId, memberId })
  if (present === undefined) throw new JobFailure('The access of the app or API key that created this job was revoked.')
  return commonScopes(scopes, present)
}

/** How a job finds and writes its entities: those that match a filter, or those that an import or a job wrote. */
interface JobSteps {
  /** Also checks that the caller may still write. */
  readNext(context: ApiContext, place: BatchPlace): Promise<readonly Position[]>
  write(context: ApiContext, ids: readonly string[]): Promise<readonly BatchResult[]>
  /** Whether a position is `other` or before it. */
  isUpTo(position: Position, other: Position): boolean
}

const stepsOf = (target: JobTarget, job: JobPlan): JobSteps =>
  isUndo(job.operation) ? undoSteps(target, job, job.operation) : bulkSteps(target, job, job.operation)

const bulkSteps = ({ entities }: JobTarget, job: JobPlan, operation: BulkOperation): JobSteps => ({
  async readNext(context, place) {
    const entityType = entities.find(context, job.entityTypeId)
    await checkValues(context, entityType, operation, entities)
    return readBatch(context, entityType, job, place)
  },
  write: (context, ids) =>
    runBatch(
      entities,
      job.entityTypeId,
      operation.op === 'update' ? { ...context, writeLog: createImportLog(job.id) } : context,
      ids.map((id) => operationOn(id, operation)),
      { isAtomic: false, returns: 'ids' },
    ),
  isUpTo,
})

function operationOn(id: string, operation: BulkOperation): EntityOperation {
  if (operation.op === 'delete') return { op: 'delete', id, ifMatch: null }
  const { op, values, mode } = operation
  return { op, id, values, multiselectWrite: mode, ifMatch: null }
}

function undoSteps(
  { entities, undo = undoOfUpdates(entities) }: JobTarget,
  { entityTypeId }: JobPlan,
  operation: UndoOperation,
): JobSteps {
  return {
    async readNext(context, place) {
      entities.find(context, entityTypeId)
      return undo.readNext(context, entityTypeId, operation, place)
    },
    write: (context, ids) => undo.write(context, entityTypeId, operation, ids),
    isUpTo: ([key, id], other) => (key === other[0] ? id <= other[1] : key < other[0]),
  }
}

/** The undo of updates of entities into which nothing is imported. */
function undoOfUpdates(entities: EntityKind): UndoTarget {
  const writtenBy = (operation: UndoOperation) => {
    if (operation.op !== 'undo_update') throw new Error(`Imports into a ${entities.kind} cannot be undone.`)
    return { importId: operation.job_id, startedAt: operation.started_at }
  }
  return {
    readNext: (context, entityTypeId, operation, place) =>
      readNextToUndo(context, entities.find(context, entityTypeId), writtenBy(operation), place),
    write: (context, entityTypeId, operation, ids) =>
      undoUpdates(
        context,
        {
          jobId: writtenBy(operation).importId,
          find: (current) => entities.find(current, entityTypeId),
          missing: (current, entityType, id) => entities.missing(current, entityType, id),
        },
        ids,
      ),
  }
}

// Reads the next entities of a job: those that match its filter now, were created before it, and come after its position. The order,
// creation time and id, does not depend on what the job writes, so no entity is missed.

/** Returns the positions of at most `limit` entities, in their order; none when the job is complete. */
async function readBatch(
  context: RequestContext,
  entityType: EntityType,
  { filter, timeZone, createdAt, caller }: Pick<JobPlan, 'filter' | 'timeZone' | 'createdAt' | 'caller'>,
  { after, limit }: BatchPlace,
): Promise<readonly Position[]> {
  const { model } = context
  const relativeContext = await relativeContextAt(context, filter, {
    now: createdAt,
    timeZone,
    memberId: caller.memberId,
  })
  const query = formQuery(model, entityType, resolveQuery(model, entityType, { filter, limit }, relativeContext))
  const { isLong } = await checkCost(context, entityType, query)
  const { select } = compileLayout(model, entityType, [])
  const rows = await runStatement(context, pageStatement(model, entityType, { ...query, after }, select), isLong)
  return rows
    .map((row): Position => [createdAtText(row), idOf(row)])
    .filter(([created]) => microsFromPostgres(created) <= createdAt)
}

/** Whether a position is `other` or before it. */
function isUpTo([created, id]: Position, other: Position): boolean {
  const difference = microsFromPostgres(created) - microsFromPostgres(other[0])
  return difference === 0 ? id <= other[1] : difference < 0
}
