/** The table of jobs, and how its rows are rendered. A caller sees its own jobs, and an admin at the console all of them, without those of hidden objects and lists. */

import { sql as expression } from 'kysely'
import { anyOf, controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import type { Sql, Transaction } from '#db/connect'
import { listAccess } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { isDeleted, isHidden } from '#engine/data-model/access/hidden'
import type { EntityType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import { currentTraceparent } from '#base/monitoring/trace-context'
import type { JobError, JobKey, JobOperation, JobPlan, JobStatus } from './job'
import type { JobOutput } from './schemas'

export interface JobRow {
  id: string
  entity_type_id: string
  kind: EntityType['kind']
  /** JSON, like `errors`. */
  operation: string
  status: JobStatus
  total: number
  done: number
  failed: number
  kept: number
  errors: string
  failure: string | null
  created_at: string
  ended_at: string | null
}

const COLUMNS = [
  'id',
  'entity_type_id',
  'kind',
  'operation',
  'status',
  'total',
  'done',
  'failed',
  'kept',
  'errors',
  'failure',
  'created_at',
  'ended_at',
] as const

export async function insertJob(sql: Sql | Transaction, job: JobPlan, total: number): Promise<JobRow> {
  const { caller } = job
  const at = timestampFromMicros(job.createdAt)
  return controlQueriesIn(sql)
    .insertInto('relata.jobs')
    .values({
      workspace_id: job.workspaceId,
      id: job.id,
      entity_type_id: job.entityTypeId,
      kind: job.kind,
      actor: caller.actor,
      member_id: caller.memberId,
      client_id: caller.clientId ?? null,
      scopes: [...caller.scopes],
      filter: jsonb(job.filter),
      time_zone: job.timeZone ?? null,
      operation: jsonb(job.operation),
      status: 'running',
      total,
      created_at: at,
      due_at: at,
      traceparent: currentTraceparent() ?? null,
    })
    .returning(COLUMNS)
    .$castTo<JobRow>()
    .executeTakeFirstOrThrow()
}

export type JobKind = EntityType['kind']

/** The condition on the jobs that a caller sees. `kinds` are those for which the caller has the scopes. */
function visibleTo(context: RequestContext, kinds: readonly JobKind[]) {
  const { db, model, actor, clientId, memberId } = context
  const isAdmin = clientId === undefined && model.membersById.get(memberId ?? '')?.access_level === 'admin'
  const invisible = model.entityTypes.filter((entityType) => !isVisible(context, entityType)).map(({ id }) => id)
  return controlQueriesIn(db.sql)
    .selectFrom('relata.jobs')
    .select(COLUMNS)
    .where('workspace_id', '=', model.workspace.id)
    .$if(!isAdmin, (query) => query.where('actor', '=', actor))
    .where('kind', '=', anyOf(kinds, 'text'))
    .where(({ eb, not }) => not(eb('entity_type_id', '=', anyOf(invisible))))
    .$castTo<JobRow>()
}

/** A job whose object was deleted has failed, and says why. */
const isVisible = (context: RequestContext, entityType: EntityType): boolean =>
  isDeleted(context.model, entityType) ||
  (entityType.kind === 'list' ? listAccess(context, entityType) !== undefined : !isHidden(context.model, entityType))

export const findJobRow = (
  context: RequestContext,
  kinds: readonly JobKind[],
  id: string,
): Promise<JobRow | undefined> => visibleTo(context, kinds).where('id', '=', id).executeTakeFirst()

/** By id. The caller must be allowed to see them. */
export async function findJobRows(
  sql: Sql | Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JobRow>> {
  if (ids.length === 0) return new Map()
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.jobs')
    .select(COLUMNS)
    .where(equal({ workspace_id: workspaceId, id: anyOf(ids) }))
    .$castTo<JobRow>()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Newest first. `after` has creation time and id of the last row of the previous page. */
export const listJobRows = (
  context: RequestContext,
  kinds: readonly JobKind[],
  { limit, after }: { readonly limit: number; readonly after: readonly [string, string] | undefined },
): Promise<JobRow[]> =>
  visibleTo(context, kinds)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(...(after ?? ['', ''])))),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** A process that has leased the job ends it after its batch. A job that has ended stays as it is. */
export async function cancelJobRow({ db, model }: RequestContext, id: string, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await db.control
    .updateTable('relata.jobs')
    .set({
      status: 'cancelled',
      due_at: expression<string | null>`case when leased_by is not null then due_at end`,
      ended_at: expression<string | null>`case when leased_by is null then ${at}::timestamptz end`,
    })
    .where(equal({ workspace_id: model.workspace.id, id, status: 'running' }))
    .execute()
}

/** The jobs that ended before a time. */
export async function findEndedJobs(sql: Sql, before: Micros, limit: number): Promise<readonly JobKey[]> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.jobs')
    .select(['workspace_id', 'id'])
    .where('ended_at', '<', timestampFromMicros(before))
    .limit(limit)
    .execute()
  return rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, id }))
}

export async function deleteJobs(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await controlQueriesIn(sql)
    .deleteFrom('relata.jobs')
    .where(equal({ workspace_id: workspaceId, id: anyOf(ids) }))
    .execute()
}

/** More can match during a job than at its start, so `total` is at least what was tried. */
export function renderJob(workspaceId: string, row: JobRow): JobOutput {
  const { done, failed, kept, status, kind, entity_type_id } = row
  const total = Math.max(row.total, done + failed + kept)
  const idName = kind === 'list' ? 'entry_id' : 'record_id'
  // Both were written by this service in this form.
  const errors = JSON.parse(row.errors) as JobError[]
  const operation = JSON.parse(row.operation) as JobOperation
  return {
    id: { workspace_id: workspaceId, job_id: row.id },
    status,
    operation: operation.op,
    import_id: operation.op === 'undo_import' ? operation.import_id : null,
    undone_job_id: operation.op === 'undo_update' ? operation.job_id : null,
    object_id: kind === 'object' ? entity_type_id : null,
    list_id: kind === 'list' ? entity_type_id : null,
    activity_id: kind === 'activity' ? entity_type_id : null,
    total,
    done,
    failed,
    kept,
    skipped: status === 'completed' ? total - done - failed - kept : 0,
    errors: errors.map(({ id, error }) => ({ [idName]: id, error: error as JobOutput['errors'][number]['error'] })), // an error body
    failure: row.failure,
    created_at: timestampFromPostgres(row.created_at),
    ended_at: timestampOrNull(row.ended_at),
  }
}
