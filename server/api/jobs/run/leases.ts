/** Leases of jobs: one process runs a job until its lease ends, and each stored batch renews the lease. */

import { sql as expression } from 'kysely'
import { controlQueriesIn, jsonb } from '#engine/data-model/kysely-in-transaction'
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
  { control, pools }: Database,
  leaseId: JobLeaseId,
  now: Micros,
): Promise<LeasedJob | undefined> {
  const at = timestampFromMicros(now)
  const row = await control
    .updateTable('relata.jobs')
    .set({ leased_by: leaseId, leased_until: until(now), worker: pools.applicationName })
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('workspace_id', 'id'),
        '=',
        selectFrom('relata.jobs as due')
          .select(['due.workspace_id', 'due.id'])
          .where('due.ended_at', 'is', null)
          .where('due.due_at', '<=', at)
          .where((each) => each.or([each('due.leased_until', 'is', null), each('due.leased_until', '<=', at)]))
          .orderBy('due.due_at')
          .orderBy('due.created_at')
          .limit(1)
          .forUpdate()
          .skipLocked()
          .$asTuple('workspace_id', 'id'),
      ),
    )
    .returning(['workspace_id', 'id', 'entity_type_id', 'kind', 'actor', 'member_id', 'client_id', 'scopes', 'filter'])
    .returning(['operation', 'done', 'failed', 'kept', 'errors', 'position', 'batch', 'created_at', 'status'])
    .$castTo<LeasedRow>()
    .executeTakeFirst()
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
  key: JobKey,
  leaseId: JobLeaseId,
  progress: JobProgress,
  now: Micros,
): Promise<boolean> {
  const row = await leasedJob(sql, key, leaseId)
    .set({ ...columnsOf(progress), leased_until: until(now) })
    .returning('status')
    .executeTakeFirst()
  return row?.status === 'running'
}

const leasedJob = (sql: Sql, { workspaceId, id }: JobKey, leaseId: JobLeaseId) =>
  controlQueriesIn(sql)
    .updateTable('relata.jobs')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('leased_by', '=', leaseId)

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
  sql: Sql,
  key: JobKey,
  leaseId: JobLeaseId,
  { end, progress }: { readonly end: JobEnd; readonly progress: JobProgress },
  now: Micros,
): Promise<void> {
  const at = timestampFromMicros(now)
  const status = end.state === 'waiting' ? 'running' : end.state
  const failure = end.state === 'failed' ? end.failure : null
  const endedAt = end.state === 'waiting' ? null : at
  await leasedJob(sql, key, leaseId)
    .set({
      ...columnsOf(progress),
      leased_by: null,
      leased_until: null,
      due_at: timestampFromMicros(end.state === 'waiting' ? now + end.delay : now),
      status: expression<string>`case status when 'running' then ${status} else status end`,
      failure: expression<string | null>`case status when 'running' then ${failure} else failure end`,
      ended_at: expression<string | null>`case status when 'running' then ${endedAt}::timestamptz else ${at} end`,
    })
    .execute()
}

/** Puts the other jobs of a workspace that had a turn behind those of other workspaces. */
export async function postponeOthers(sql: Sql, { workspaceId, id }: JobKey, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await controlQueriesIn(sql)
    .updateTable('relata.jobs')
    .set({ due_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .where('id', '<>', id)
    .where('due_at', '<', at)
    .execute()
}
