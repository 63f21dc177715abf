/** Creates a job. See docs/reference/jobs.md. */

import type { ApiContext, RequestContext } from '#context'
import { findAttribute } from '#engine/data-model/find'
import type { EntityType } from '#engine/data-model/model'
import type { EntityKind } from '#engine/entities/operations/definitions'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { requiredMember } from '#base/errors/records'
import { newId } from '#base/ids'
import { countEntities } from '#engine/query/run/query-entities'
import { relativeContextOf } from '#engine/query/resolve/relative'
import { filterById } from '#engine/query/resolve/resolve-query'
import { checkValues } from './check-values'
import type { BulkOperation } from './job'
import { renderJob } from './render'
import type { JobOutput } from './schemas'
import { insertJob } from './store'

export interface JobRequest {
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
    const { model, db } = context
    const entityType = kind.find(context, slugOrId)
    await checkValues(context, entityType, operation, kind)
    // Entities that are created after this instant are not part of the job.
    const createdAt = context.now()
    const total = await countEntities(context, entityType, filter, await relativeContextOf(context, filter, timeZone))
    const row = await insertJob(
      db.sql,
      {
        workspaceId: model.workspace.id,
        id: newId(),
        entityTypeId: entityType.id,
        kind: entityType.kind,
        caller: callerOf(context),
        filter: filterById(model, entityType, filter) as JobRequest['filter'], // the result is an object, like `filter`
        timeZone,
        operation: withIds(entityType, operation),
        createdAt,
      },
      total,
    )
    context.workers?.wake('jobs')
    return renderJob(model.workspace.id, row)
  })

export function callerOf({ actor, memberId, clientId, scopes }: RequestContext) {
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
