/** Leases of imports: one process runs an import until its lease ends, and each update of the progress renews the lease. */

import { controlQueriesIn, jsonb } from '#engine/data-model/kysely-in-transaction'
import { sql as expression } from 'kysely'
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
  { control, pools }: Database,
  leaseId: LeaseId,
  now: Micros,
): Promise<LeasedImport | undefined> {
  const at = timestampFromMicros(now)
  const row = await control
    .updateTable('relata.imports')
    .set(({ eb, fn, or }) => ({
      state: 'running',
      leased_by: leaseId,
      leased_until: until(now),
      worker: pools.applicationName,
      is_recorded: or([eb('is_recorded', '=', true), eb('started_at', 'is', null)]).$castTo<boolean>(),
      started_at: fn.coalesce('started_at', expression<string>`${at}::timestamptz`),
    }))
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('workspace_id', 'id'),
        '=',
        selectFrom('relata.imports as waiting')
          .select(['waiting.workspace_id', 'waiting.id'])
          .where((each) =>
            each.or([
              each('waiting.state', '=', 'waiting'),
              each.and([each('waiting.state', '=', 'running'), each('waiting.leased_until', '<=', at)]),
            ]),
          )
          .orderBy('waiting.created_at')
          .limit(1)
          .forUpdate()
          .skipLocked()
          .$asTuple('workspace_id', 'id'),
      ),
    )
    .returning(['workspace_id', 'id', 'object_id', 'created_by', 'delimiter', 'plan', 'counts', 'problems'])
    .returning(['started_at', 'is_cancelled'])
    .$castTo<LeasedRow>()
    .executeTakeFirst()
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
    const row = await leasedImport(tx, { workspaceId, id }, leaseId)
      .where('state', '=', 'running')
      .set({ counts: jsonb(counts), bytes_read: String(bytesRead), problems, leased_until: until(now) })
      .returning('is_cancelled')
      .executeTakeFirst()
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
  const rows = expression<NumberedProblem>`json_to_recordset(${JSON.stringify(problems)}::text::json)`
  await controlQueriesIn(tx)
    .insertInto('relata.import_problems')
    .columns(['workspace_id', 'import_id', 'number', 'line', 'outcome', 'column_name', 'value', 'reason'])
    .expression((query) =>
      query
        .selectFrom(
          rows.as<'p'>(expression`p (number int, line int, outcome text, "column" text, value text, reason text)`),
        )
        .select([
          expression<string>`${workspaceId}::uuid`.as('workspace_id'),
          expression<string>`${id}::uuid`.as('import_id'),
        ])
        .select(['p.number', 'p.line', 'p.outcome', 'p.column as column_name', 'p.value', 'p.reason']),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
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
    const ended = await leasedImport(tx, { workspaceId, id }, leaseId)
      .set({ state, failure, ended_at: timestampFromMicros(now), leased_by: null, leased_until: null })
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n) return
    await controlQueriesIn(tx)
      .deleteFrom('relata.import_pieces')
      .where('workspace_id', '=', workspaceId)
      .where('import_id', '=', id)
      .execute()
  })
}

/** Ends the lease, so that another process, or this one after a restart, continues the import. */
export async function releaseImport(sql: Sql, key: ImportKey, leaseId: LeaseId): Promise<void> {
  await leasedImport(sql, key, leaseId)
    .where('state', '=', 'running')
    .set({ state: 'waiting', leased_by: null, leased_until: null })
    .execute()
}

const leasedImport = (on: Sql | Transaction, { workspaceId, id }: ImportKey, leaseId: LeaseId) =>
  controlQueriesIn(on)
    .updateTable('relata.imports')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('leased_by', '=', leaseId)
