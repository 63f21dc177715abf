/** The table of jobs. A caller sees its own jobs, and an admin at the console all of them, without those of hidden objects and lists. */

import type { Sql, Transaction } from '#db/connect'
import { listAccess } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { isHidden } from '#engine/data-model/access/hidden'
import type { EntityType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { JobPlan, JobStatus } from './job'

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
  const [row] = await sql<[JobRow]>`
    insert into relata.jobs (workspace_id, id, entity_type_id, kind, actor, member_id, client_id, scopes, filter, operation,
      status, total, created_at, due_at)
    values (${job.workspaceId}, ${job.id}, ${job.entityTypeId}, ${job.kind}, ${caller.actor}, ${caller.memberId},
      ${caller.clientId ?? null}, ${[...caller.scopes]}, ${JSON.stringify(job.filter)}::text::jsonb,
      ${JSON.stringify(job.operation)}::text::jsonb, 'running', ${total}, ${at}, ${at})
    returning ${sql([...COLUMNS])}`
  return row
}

export type JobKind = EntityType['kind']

/** The condition on the jobs that a caller sees. `kinds` are those for which the caller has the scopes. */
function visibleTo(sql: Sql | Transaction, context: RequestContext, kinds: readonly JobKind[]) {
  const { model, actor, clientId, memberId } = context
  const isAdmin = clientId === undefined && model.membersById.get(memberId ?? '')?.access_level === 'admin'
  const invisible = model.entityTypes.filter((entityType) => !isVisible(context, entityType)).map(({ id }) => id)
  return sql`
    workspace_id = ${model.workspace.id} and (${isAdmin} or actor = ${actor}) and kind = any(${[...kinds]}::text[])
    and not entity_type_id = any(${invisible}::uuid[])`
}

const isVisible = (context: RequestContext, entityType: EntityType): boolean =>
  entityType.kind === 'list' ? listAccess(context, entityType) !== undefined : !isHidden(context.model, entityType)

export async function findJobRow(
  context: RequestContext,
  kinds: readonly JobKind[],
  id: string,
): Promise<JobRow | undefined> {
  const { sql } = context.db
  const [row] = await sql<[JobRow?]>`
    select ${sql([...COLUMNS])} from relata.jobs where ${visibleTo(sql, context, kinds)} and id = ${id}`
  return row
}

/** By id. The caller must be allowed to see them. */
export async function findJobRows(
  sql: Sql | Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JobRow>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<JobRow[]>`
    select ${sql([...COLUMNS])} from relata.jobs where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])`
  return new Map(rows.map((row) => [row.id, row]))
}

/** Newest first. `after` has creation time and id of the last row of the previous page. */
export function listJobRows(
  context: RequestContext,
  kinds: readonly JobKind[],
  { limit, after }: { readonly limit: number; readonly after: readonly [string, string] | undefined },
): Promise<JobRow[]> {
  const { sql } = context.db
  const isAfter =
    after === undefined ? sql`` : sql`and (created_at, id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`
  return sql<JobRow[]>`
    select ${sql([...COLUMNS])} from relata.jobs where ${visibleTo(sql, context, kinds)} ${isAfter}
    order by created_at desc, id desc limit ${limit}`
}

/** A process that has leased the job ends it after its batch. A job that has ended stays as it is. */
export async function cancelJobRow({ db, model }: RequestContext, id: string, now: Micros): Promise<void> {
  await db.sql`
    update relata.jobs set status = 'cancelled', due_at = case when leased_by is not null then due_at end,
      ended_at = case when leased_by is null then ${timestampFromMicros(now)}::timestamptz end
    where workspace_id = ${model.workspace.id} and id = ${id} and status = 'running'`
}

/** Returns how many were deleted. */
export async function deleteEndedJobs(sql: Sql, before: Micros, limit: number): Promise<number> {
  const deleted = await sql`
    delete from relata.jobs where (workspace_id, id) in (
      select workspace_id, id from relata.jobs where ended_at < ${timestampFromMicros(before)}
      limit ${limit} for update skip locked)`
  return deleted.count
}
