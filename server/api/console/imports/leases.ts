/** Leases of imports: one process runs an import until its lease ends, and each update of the progress renews the lease. */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import { type Lease, type Queue, released, renewed, takeDue, updateLeased } from '#engine/queue'
import { NO_ROWS, type RowCounts, type RowProblem } from '#transfer/import/row-outcomes'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { PlanBody } from './schemas'
import type { ImportKey } from './store'

export const importQueue: Queue<'relata.imports'> & { readonly lease: Micros } = {
  table: 'relata.imports',
  id: 'id',
  lease: 60_000_000,
  onTake: (at) => ({
    state: sql`'running'`,
    started_at: sql`coalesce(q.started_at, ${at}::timestamptz)`,
  }),
}

export interface LeasedImport extends ImportKey, Lease {
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
  /** Of the request that began the import. */
  readonly traceparent: string | null
}

/** Leases the oldest import that waits or whose lease has ended; undefined when there is none. */
export async function leaseImport(db: Database, now: Micros): Promise<LeasedImport | undefined> {
  const [row] = await takeDue(db, importQueue, { now, limit: 1 })
  if (row === undefined) return undefined
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    leaseId: row.leased_by,
    objectId: row.object_id,
    createdBy: row.created_by,
    // Every import that was started has them. This service wrote the JSON in this form.
    delimiter: row.delimiter as string,
    plan: JSON.parse(row.plan as string) as PlanBody,
    counts: row.counts === null ? NO_ROWS : (JSON.parse(row.counts) as RowCounts),
    problems: row.problems,
    startedAt: microsFromPostgres(row.started_at as string),
    isCancelled: row.is_cancelled,
    traceparent: row.traceparent,
  }
}

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
  db: Sql,
  leased: Lease,
  { counts, bytesRead, problems, newProblems }: StoredProgress,
  now: Micros,
): Promise<LeaseState> {
  const changes = { counts: jsonb(counts), bytes_read: String(bytesRead), problems, ...renewed(importQueue, now) }
  return db.begin(async (tx) => {
    const isCancelled = await updateLeased(tx, importQueue, leased, changes, 'is_cancelled')
    if (isCancelled === undefined) return 'lost'
    if (newProblems.length > 0) await insertProblems(tx, leased, newProblems)
    return isCancelled ? 'cancelled' : 'ours'
  })
}

async function insertProblems(
  tx: Transaction,
  { workspaceId, id }: ImportKey,
  problems: readonly NumberedProblem[],
): Promise<void> {
  const rows = sql<NumberedProblem>`json_to_recordset(${JSON.stringify(problems)}::text::json)`
  await controlQueriesIn(tx)
    .insertInto('relata.import_problems')
    .columns(['workspace_id', 'import_id', 'number', 'line', 'outcome', 'column_name', 'value', 'reason'])
    .expression((query) =>
      query
        .selectFrom(rows.as<'p'>(sql`p (number int, line int, outcome text, "column" text, value text, reason text)`))
        .select([sql<string>`${workspaceId}::uuid`.as('workspace_id'), sql<string>`${id}::uuid`.as('import_id')])
        .select(['p.number', 'p.line', 'p.outcome', 'p.column as column_name', 'p.value', 'p.reason']),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the file, too. */
export async function finishImport(
  db: Sql,
  leased: Lease,
  { state, failure = null }: { state: 'finished' | 'cancelled' | 'failed'; failure?: string | null },
  now: Micros,
): Promise<void> {
  const changes = { state, failure, ended_at: timestampFromMicros(now), ...released(null) }
  await db.begin(async (tx) => {
    if ((await updateLeased(tx, importQueue, leased, changes, 'id')) === undefined) return
    await controlQueriesIn(tx)
      .deleteFrom('relata.import_pieces')
      .where(equal({ workspace_id: leased.workspaceId, import_id: leased.id }))
      .execute()
  })
}

/** Ends the lease, so that another process, or this one after a restart, continues the import before later ones. */
export async function releaseImport(db: Sql, leased: Lease): Promise<void> {
  await updateLeased(db, importQueue, leased, { ...released(null), state: 'waiting', due_at: sql`created_at` }, 'id')
}
