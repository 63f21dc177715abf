/** Leases of jobs: one process runs a job until its lease ends, and each stored batch renews the lease. */

import { type RawBuilder, sql } from 'kysely'
import type { Database, Sql } from '#db/connect'
import { controlQueriesIn, jsonb } from '#engine/data-model/kysely-in-transaction'
import { type Lease, released, renewed, takeDue, type Taken, updateLeased } from '#engine/queue'
import { microsFromPostgres, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Scope } from '#vocabulary/scopes'
import type { JobKind } from '#api/jobs/store'
import type { ClaimedBatch, JobError, JobKey, JobOperation, JobPlan, JobProgress, Position } from '#api/jobs/job'

/** Jobs that were postponed together have their turns in the order in which they were created, which is that of their ids. */
export const jobQueue = { table: 'relata.jobs', id: 'id', lease: 60_000_000, isInOrderOfIds: true } as const

export interface LeasedJob extends JobPlan, Lease {
  readonly progress: JobProgress
  /** Of the request that created the job. */
  readonly traceparent: string | null
  /** Whether it was cancelled while a dead worker had leased it. */
  readonly isCancelled: boolean
}

/** Leases the job that is due first; undefined when none is due. */
export async function leaseJob(db: Database, now: Micros): Promise<LeasedJob | undefined> {
  const [row] = await takeDue(db, jobQueue, { now, limit: 1 })
  return row && parseRow(row)
}

/** This service wrote all JSON in these forms, and the scopes. */
const parseRow = (row: Taken<'relata.jobs'>): LeasedJob => ({
  workspaceId: row.workspace_id,
  id: row.id,
  leaseId: row.leased_by,
  entityTypeId: row.entity_type_id,
  kind: row.kind as JobKind,
  caller: {
    actor: row.actor,
    memberId: row.member_id,
    clientId: row.client_id ?? undefined,
    scopes: new Set(row.scopes as Scope[]),
  },
  filter: JSON.parse(row.filter) as Record<string, unknown>,
  timeZone: row.time_zone ?? undefined,
  operation: JSON.parse(row.operation) as JobOperation,
  createdAt: microsFromPostgres(row.created_at),
  isCancelled: row.status === 'cancelled',
  traceparent: row.traceparent,
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
export async function saveProgress(sql: Sql, job: Lease, progress: JobProgress, now: Micros): Promise<boolean> {
  const changes = { ...columnsOf(progress), ...renewed(jobQueue, now) }
  return (await updateLeased(sql, jobQueue, job, changes, 'status')) === 'running'
}

const columnsOf = ({ done, failed, kept, errors, position, batch }: JobProgress) => ({
  done,
  failed,
  kept,
  errors: jsonb(errors),
  position: position && jsonb(position),
  batch: batch && jsonb(batch),
})

/** How a process leaves a job. After `waiting`, a process continues it when `delay` is over. */
export type JobEnd =
  | { readonly state: 'completed' }
  | { readonly state: 'failed'; readonly failure: string }
  | { readonly state: 'waiting'; readonly delay: Micros }

/** Stores the progress and ends the lease. A job that was cancelled stays cancelled. */
export async function endLease(
  db: Sql,
  job: Lease,
  { end, progress }: { readonly end: JobEnd; readonly progress: JobProgress },
  now: Micros,
): Promise<void> {
  const isWaiting = end.state === 'waiting'
  const at = timestampFromMicros(now)
  const { due_at, ...lease } = released(isWaiting ? now + end.delay : null)
  const unlessCancelled = (value: string | null, otherwise: RawBuilder<unknown>) =>
    sql`case status when 'running' then ${value} else ${otherwise} end`
  const changes = {
    ...columnsOf(progress),
    ...lease,
    due_at: sql`case status when 'running' then ${due_at}::timestamptz end`,
    status: unlessCancelled(isWaiting ? 'running' : end.state, sql`status`),
    failure: unlessCancelled(end.state === 'failed' ? end.failure : null, sql`failure`),
    ended_at: sql`case status when 'running' then ${isWaiting ? null : at}::timestamptz else ${at}::timestamptz end`,
  }
  await updateLeased(db, jobQueue, job, changes, 'id')
}

/** Puts the other jobs of a workspace that had a turn behind those of other workspaces. */
export async function postponeOthers(db: Sql, { workspaceId, id }: JobKey, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await controlQueriesIn(db)
    .updateTable('relata.jobs')
    .set({ due_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '<>', id)
    .where('due_at', '<', at)
    .execute()
}
