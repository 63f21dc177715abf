/** Creates a job. See docs/reference/jobs.md (Undo of an update). */
import { getList } from '#access/list-access/list-access'
import { jobNotUndoable, jobRunning, requiredMember } from '#base/errors/records'
import { newId } from '#base/ids'
import { microsFromPostgres } from '#base/timing/clock'
import type { ApiContext, RequestContext } from '#context'
import { findAttribute, getActivity, getWritableObject } from '#engine/data-model/find'
import type { EntityType } from '#engine/data-model/model'
import type { EntityKind } from '#engine/entities/operations/definitions'
import { readAssignments, requireTouched, requireWritableSides } from '#engine/entities/write/parse-values'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { relativeContextOf } from '#engine/query/resolve/relative'
import { filterById } from '#engine/query/resolve/resolve-query'
import { countEntities } from '#engine/query/run/query-entities'
import { countUpdated } from '#engine/storage/imports/imported-records'
import type { BulkOperation, JobOperation, JobPlan } from './job'
import type { JobOutput } from './schemas'
import { insertJob, type JobRow, renderJob } from './store'

interface JobRequest {
  readonly filter: Readonly<Record<string, unknown>>
  readonly time_zone?: string | undefined
  readonly operation: BulkOperation
}

/** Makes the operation of a body. Throws 400 for an update without values. */
export function operationOf(
  op: BulkOperation['op'],
  member: EntityKind['member'],
  update: {
    readonly values: Readonly<Record<string, unknown>> | undefined
    readonly mode: 'append' | 'overwrite' | undefined
  },
): BulkOperation {
  if (op === 'delete') return { op }
  const { values, mode = 'append' } = update
  if (values === undefined) throw requiredMember(['data', 'operation', member])
  return { op, values, mode }
}

/** Throws 404 and 403 for the entity type, and 400 for the filter and for values that no entity could take. */
export const createJob = (
  context: ApiContext,
  kind: EntityKind,
  slugOrId: string,
  { filter, time_zone: timeZone, operation }: JobRequest,
): Promise<JobOutput> =>
  retryOnConflict(context, async (context) => {
    const entityType = kind.find(context, slugOrId)
    await checkValues(context, entityType, operation, kind)
    // Entities that are created after this instant are not part of the job.
    const createdAt = context.now()
    const total = await countEntities(context, entityType, filter, await relativeContextOf(context, filter, timeZone))
    return queueJob(context, entityType, total, {
      filter: filterById(context.model, entityType, filter) as JobRequest['filter'], // the result is an object, like `filter`
      timeZone,
      operation: withIds(entityType, operation),
      createdAt,
    })
  })

type NewJob = Pick<JobPlan, 'filter' | 'timeZone' | 'operation' | 'createdAt'>

async function queueJob(context: ApiContext, entityType: EntityType, total: number, job: NewJob): Promise<JobOutput> {
  const { db, model, workers } = context
  const id = newId()
  const plan = { workspaceId: model.workspace.id, id, entityTypeId: entityType.id, kind: entityType.kind, ...job }
  const row = await insertJob(db.sql, { ...plan, caller: callerOf(context) }, total)
  workers?.wake('jobs')
  return renderJob(model.workspace.id, row)
}

function callerOf({ actor, memberId, clientId, scopes }: RequestContext) {
  if (memberId === undefined) throw new Error('A job is created by a member, or by a client that a member authorised.')
  return { actor, memberId, clientId, scopes }
}

/** Names the attributes by their ids, so that the job survives the renaming of attributes. */
const withIds = (entityType: EntityType, operation: BulkOperation): BulkOperation =>
  operation.op === 'delete'
    ? operation
    : {
        ...operation,
        values: Object.fromEntries(
          Object.entries(operation.values).map(([name, value]) => [findAttribute(entityType, name)?.id ?? name, value]),
        ),
      }

/**
 * Undoes a job that updated records or entries: creates the job that puts the values back. Throws 409 for a job that runs and for one that is no update, and 404 and 403 for the object, the list or the activity.
 */
export async function undoJob(context: ApiContext, undone: JobRow): Promise<JobOutput> {
  const { model, db } = context
  const { op } = JSON.parse(undone.operation) as JobOperation // this service wrote it
  if (op !== 'update') throw jobNotUndoable(undone.id)
  if (undone.ended_at === null) throw jobRunning(undone.id)
  const entityType = getWritable(context, undone)
  // The job updated what was created up to its own creation.
  const startedAt = microsFromPostgres(undone.created_at) + 1
  const updated = await countUpdated(db.sql, model, entityType, { importId: undone.id, startedAt })
  return queueJob(context, entityType, updated, {
    filter: {},
    operation: { op: 'undo_update', job_id: undone.id, started_at: startedAt },
    createdAt: context.now(),
  })
}

function getWritable(context: ApiContext, { kind, entity_type_id: id }: JobRow): EntityType {
  switch (kind) {
    case 'object':
      return getWritableObject(context.model, id)
    case 'list':
      return getList(context, id, 'read-and-write')
    case 'activity':
      return getActivity(context.model, id)
  }
}

/** Throws the errors that an update with these values would have for every entity. */
export async function checkValues(
  context: RequestContext,
  entityType: EntityType,
  operation: JobOperation,
  { member }: Pick<EntityKind, 'member'>,
): Promise<void> {
  if (operation.op !== 'update') return
  const appends = operation.mode === 'append'
  const parsing = { member, appends } as const
  const assignments = await readAssignments(context, entityType, operation.values, parsing, {
    locking: false,
    assumeExists: false,
  })
  requireWritableSides(context.model, assignments)
  requireTouched(assignments, ({ attribute, values }) => values.length > 0 || (appends && attribute.is_multiselect))
}
