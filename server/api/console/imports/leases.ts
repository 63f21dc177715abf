/** Leases of imports: one process runs an import until its lease ends, and each update of the progress renews the lease. */

import type { Database, Sql, Transaction } from '#db/connect'
import type { RowProblem } from '#transfer/import/problems/row-problem'
import { NO_ROWS, type RowCounts } from '#transfer/import/row-counts'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { PlanBody } from './schemas'
import type { ImportKey } from './store'

const LEASE_MICROS = 60_000_000

/** Names one lease; a process makes a new id for each import it leases. */
export type LeaseId = string

export interface LeasedImport extends ImportKey {
  readonly objectId: string
  readonly createdBy: string
  readonly delimiter: string
  readonly plan: PlanBody
  readonly counts: RowCounts
  readonly problems: number
  /** When it began, also in a process that ended before. */
  readonly startedAt: Micros
  /** Whether the import was cancelled while another process had leased it. */
  readonly isCancelled: boolean
}

interface LeasedRow {
  workspace_id: string
  id: string
  object_id: string
  created_by: string
  delimiter: string
  plan: string
  counts: string | null
  problems: number
  started_at: string
  is_cancelled: boolean
}

/** Leases the oldest import that waits or whose lease has ended; undefined when there is none. */
export async function leaseImport(
  { sql, pools }: Database,
  leaseId: LeaseId,
  now: Micros,
): Promise<LeasedImport | undefined> {
  const at = timestampFromMicros(now)
  const [row] = await sql<[LeasedRow?]>`
    update relata.imports set state = 'running', leased_by = ${leaseId}, leased_until = ${until(now)},
      worker = ${pools.applicationName}, started_at = coalesce(started_at, ${at}::timestamptz)
    where (workspace_id, id) = (
      select workspace_id, id from relata.imports
      where state = 'waiting' or (state = 'running' and leased_until <= ${at})
      order by created_at limit 1 for update skip locked)
    returning workspace_id, id, object_id, created_by, delimiter, plan, counts, problems, started_at, is_cancelled`
  if (row === undefined) return undefined
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    objectId: row.object_id,
    createdBy: row.created_by,
    delimiter: row.delimiter,
    // Both were written by this service in this form.
    plan: JSON.parse(row.plan) as PlanBody,
    counts: row.counts === null ? NO_ROWS : (JSON.parse(row.counts) as RowCounts),
    problems: row.problems,
    startedAt: microsFromPostgres(row.started_at),
    isCancelled: row.is_cancelled,
  }
}

const until = (now: Micros): string => timestampFromMicros(now + LEASE_MICROS)

export interface NumberedProblem extends RowProblem {
  readonly number: number
}

/** `lost`: another process has leased the import, or it has ended. */
export type LeaseState = 'ours' | 'cancelled' | 'lost'

export interface StoredProgress {
  readonly counts: RowCounts
  readonly bytesRead: number
  /** The number of all problems. */
  readonly problems: number
  /** The new problems that are stored. */
  readonly newProblems: readonly NumberedProblem[]
}

/** Stores counts and problems in one transaction and renews the lease. A problem that is stored already does not change. */
export async function storeProgress(
  sql: Sql,
  { workspaceId, id }: ImportKey,
  leaseId: LeaseId,
  { counts, bytesRead, problems, newProblems }: StoredProgress,
  now: Micros,
): Promise<LeaseState> {
  return sql.begin(async (tx) => {
    const [row] = await tx<[{ is_cancelled: boolean }?]>`
      update relata.imports set counts = ${JSON.stringify(counts)}::text::jsonb, bytes_read = ${bytesRead},
        problems = ${problems}, leased_until = ${until(now)}
      where workspace_id = ${workspaceId} and id = ${id} and state = 'running' and leased_by = ${leaseId}
      returning is_cancelled`
    if (row === undefined) return 'lost'
    if (newProblems.length > 0) await insertProblems(tx, { workspaceId, id }, newProblems)
    return row.is_cancelled ? 'cancelled' : 'ours'
  })
}

async function insertProblems(
  tx: Transaction,
  { workspaceId, id }: ImportKey,
  problems: readonly NumberedProblem[],
): Promise<void> {
  await tx`
    insert into relata.import_problems (workspace_id, import_id, number, line, outcome, column_name, value, reason)
    select ${workspaceId}, ${id}, p.number, p.line, p.outcome, p.column, p.value, p.reason
    from json_to_recordset(${JSON.stringify(problems)}::text::json)
      as p (number int, line int, outcome text, "column" text, value text, reason text)
    on conflict do nothing`
}

/** Deletes the file, too. */
export async function finishImport(
  sql: Sql,
  { workspaceId, id }: ImportKey,
  leaseId: LeaseId,
  { state, failure = null }: { state: 'finished' | 'cancelled' | 'failed'; failure?: string | null },
  now: Micros,
): Promise<void> {
  await sql.begin(async (tx) => {
    const ended = await tx`
      update relata.imports set state = ${state}, failure = ${failure}, ended_at = ${timestampFromMicros(now)},
        leased_by = null, leased_until = null
      where workspace_id = ${workspaceId} and id = ${id} and leased_by = ${leaseId} returning id`
    if (ended.length > 0)
      await tx`delete from relata.import_pieces where workspace_id = ${workspaceId} and import_id = ${id}`
  })
}

/** Ends the lease, so that another process, or this one after a restart, continues the import. */
export async function releaseImport(sql: Sql, { workspaceId, id }: ImportKey, leaseId: LeaseId): Promise<void> {
  await sql`
    update relata.imports set state = 'waiting', leased_by = null, leased_until = null
    where workspace_id = ${workspaceId} and id = ${id} and state = 'running' and leased_by = ${leaseId}`
}
