/** Leases of jobs: one process runs a job until its lease ends, and each stored batch renews the lease. */

import type { Database, Sql } from '#db/connect'
import { microsFromPostgres, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Scope } from '#vocabulary/scopes'
import type { JobKind } from '#api/jobs/store'
import type {
  ClaimedBatch,
  JobError,
  JobKey,
  JobOperation,
  JobPlan,
  JobProgress,
  JobStatus,
  Position,
} from '#api/jobs/job'

const LEASE_MICROS = 60_000_000

/** Names one lease; a process makes a new id for each job it leases. */
export type JobLeaseId = string

export interface LeasedJob extends JobPlan {
  readonly progress: JobProgress
  /** Whether it was cancelled while a dead worker had leased it. */
  readonly isCancelled: boolean
}

interface LeasedRow {
  workspace_id: string
  id: string
  entity_type_id: string
  kind: JobKind
  actor: number
  member_id: string
  client_id: string | null
  scopes: string[]
  filter: string
  operation: string
  done: number
  failed: number
  kept: number
  errors: string
  position: string | null
  batch: string | null
  created_at: string
  status: JobStatus
}

/** Leases the job that is due first, has not ended and is not leased; undefined when there is none. */
export async function leaseJob(
  { sql, pools }: Database,
  leaseId: JobLeaseId,
  now: Micros,
): Promise<LeasedJob | undefined> {
  const at = timestampFromMicros(now)
  const [row] = await sql<[LeasedRow?]>`
    update relata.jobs set leased_by = ${leaseId}, leased_until = ${until(now)}, worker = ${pools.applicationName}
    where (workspace_id, id) = (
      select workspace_id, id from relata.jobs
      where ended_at is null and due_at <= ${at} and (leased_until is null or leased_until <= ${at})
      order by due_at, created_at limit 1 for update skip locked)
    returning workspace_id, id, entity_type_id, kind, actor, member_id, client_id, scopes, filter, operation, done, failed,
      kept, errors, position, batch, created_at, status`
  return row && parseRow(row)
}

const until = (now: Micros): string => timestampFromMicros(now + LEASE_MICROS)

/** This service wrote all JSON in these forms, and the scopes. */
const parseRow = (row: LeasedRow): LeasedJob => ({
  workspaceId: row.workspace_id,
  id: row.id,
  entityTypeId: row.entity_type_id,
  kind: row.kind,
  caller: {
    actor: row.actor,
    memberId: row.member_id,
    clientId: row.client_id ?? undefined,
    scopes: new Set(row.scopes as Scope[]),
  },
  filter: JSON.parse(row.filter) as Record<string, unknown>,
  operation: JSON.parse(row.operation) as JobOperation,
  createdAt: microsFromPostgres(row.created_at),
  isCancelled: row.status === 'cancelled',
  progress: {
    done: row.done,
    failed: row.failed,
    kept: row.kept,
    errors: JSON.parse(row.errors) as JobError[],
    position: row.position === null ? null : (JSON.parse(row.position) as Position),
    batch: row.batch === null ? null : (JSON.parse(row.batch) as ClaimedBatch),
  },
})

/** Stores the progress and renews the lease. Returns false when the job was cancelled or another process has leased it. */
export async function saveProgress(
  sql: Sql,
  { workspaceId, id }: JobKey,
  leaseId: JobLeaseId,
  progress: JobProgress,
  now: Micros,
): Promise<boolean> {
  const [row] = await sql<[{ status: string }?]>`
    update relata.jobs set ${columnsOf(sql, progress)}, leased_until = ${until(now)}
    where workspace_id = ${workspaceId} and id = ${id} and leased_by = ${leaseId} returning status`
  return row?.status === 'running'
}

const columnsOf = (sql: Sql, { done, failed, kept, errors, position, batch }: JobProgress) => sql`
  done = ${done}, failed = ${failed}, kept = ${kept}, errors = ${JSON.stringify(errors)}::text::jsonb,
  position = ${position && JSON.stringify(position)}::text::jsonb, batch = ${batch && JSON.stringify(batch)}::text::jsonb`

/** How a process leaves a job. After `waiting`, a process continues it when `delay` is over. */
export type JobEnd =
  | { readonly state: 'completed' }
  | { readonly state: 'failed'; readonly failure: string }
  | { readonly state: 'waiting'; readonly delay: Micros }

/** Stores the progress and ends the lease. A job that was cancelled stays cancelled. */
export async function endLease(
  sql: Sql,
  { workspaceId, id }: JobKey,
  leaseId: JobLeaseId,
  { end, progress }: { readonly end: JobEnd; readonly progress: JobProgress },
  now: Micros,
): Promise<void> {
  const status = end.state === 'waiting' ? 'running' : end.state
  const failure = end.state === 'failed' ? end.failure : null
  const endedAt = end.state === 'waiting' ? null : timestampFromMicros(now)
  const dueAt = timestampFromMicros(end.state === 'waiting' ? now + end.delay : now)
  await sql`
    update relata.jobs set ${columnsOf(sql, progress)}, leased_by = null, leased_until = null, due_at = ${dueAt},
      status = case status when 'running' then ${status} else status end,
      failure = case status when 'running' then ${failure} else failure end,
      ended_at = case status when 'running' then ${endedAt}::timestamptz else ${timestampFromMicros(now)} end
    where workspace_id = ${workspaceId} and id = ${id} and leased_by = ${leaseId}`
}

/** Puts the other jobs of a workspace that had a turn behind those of other workspaces. */
export async function postponeOthers(sql: Sql, { workspaceId, id }: JobKey, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await sql`
    update relata.jobs set due_at = ${at}
    where workspace_id = ${workspaceId} and ended_at is null and id <> ${id} and due_at < ${at}`
}
