/** Imports that run: claimed by one process, believed as long as it says so, and noted as they go. */

import type { Sql, Transaction } from '../../../db/connect'
import type { CellProblem } from '../../import/convert/compile-row'
import { type Micros, timestampFromMicros } from '../../timing/clock'
import type { ImportCounts, PlanBody } from './schemas'
import { type ImportKey, NO_COUNTS } from './store'

/** For how long a process is believed to run an import after it last said so. */
const LEASE_MICROS = 60_000_000

/** Under which a process has claimed an import. */
export type Lease = string

export interface ClaimedImport extends ImportKey {
  readonly objectId: string
  readonly createdBy: string
  readonly delimiter: string
  readonly plan: PlanBody
  readonly counts: ImportCounts
  readonly problems: number
  /** Somebody cancelled it while another process had it. */
  readonly isCancelled: boolean
}

interface ClaimedRow {
  workspace_id: string
  id: string
  object_id: string
  created_by: string
  delimiter: string
  plan: string
  counts: string | null
  problems: number
  is_cancelled: boolean
}

/** The one that waits longest, or that nobody runs any more; undefined when there is none. */
export async function claimImport(sql: Sql, lease: Lease, now: Micros): Promise<ClaimedImport | undefined> {
  const at = timestampFromMicros(now)
  const [row] = await sql<[ClaimedRow?]>`
    update relata.imports set state = 'running', leased_by = ${lease}, leased_until = ${until(now)},
      started_at = coalesce(started_at, ${at}::timestamptz)
    where (workspace_id, id) = (
      select workspace_id, id from relata.imports
      where state = 'waiting' or (state = 'running' and leased_until < ${at})
      order by created_at limit 1 for update skip locked)
    returning workspace_id, id, object_id, created_by, delimiter, plan, counts, problems, is_cancelled`
  if (row === undefined) return undefined
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    objectId: row.object_id,
    createdBy: row.created_by,
    delimiter: row.delimiter,
    // Both as they were written here.
    plan: JSON.parse(row.plan) as PlanBody,
    counts: row.counts === null ? NO_COUNTS : (JSON.parse(row.counts) as ImportCounts),
    problems: row.problems,
    isCancelled: row.is_cancelled,
  }
}

const until = (now: Micros): string => timestampFromMicros(now + LEASE_MICROS)

export interface NotedProblem extends CellProblem {
  readonly number: number
  readonly line: number
  readonly outcome: 'skipped' | 'left out'
}

export interface Note {
  readonly counts: ImportCounts
  readonly bytesRead: number
  /** How many there are in all, and those that are to be kept of the new ones. */
  readonly problems: number
  readonly newProblems: readonly NotedProblem[]
}

/** All of it or nothing; what was noted already stays so. Says whether the import is still ours, and whether somebody cancelled it. */
export async function noteProgress(
  sql: Sql,
  { workspaceId, id }: ImportKey,
  lease: Lease,
  { counts, bytesRead, problems, newProblems }: Note,
  now: Micros,
): Promise<'ours' | 'cancelled' | 'lost'> {
  return sql.begin(async (tx) => {
    const [row] = await tx<[{ is_cancelled: boolean }?]>`
      update relata.imports set counts = ${JSON.stringify(counts)}::text::jsonb, bytes_read = ${bytesRead},
        problems = ${problems}, leased_until = ${until(now)}
      where workspace_id = ${workspaceId} and id = ${id} and state = 'running' and leased_by = ${lease}
      returning is_cancelled`
    if (row === undefined) return 'lost'
    if (newProblems.length > 0) await insertProblems(tx, { workspaceId, id }, newProblems)
    return row.is_cancelled ? 'cancelled' : 'ours'
  })
}

async function insertProblems(
  tx: Transaction,
  { workspaceId, id }: ImportKey,
  problems: readonly NotedProblem[],
): Promise<void> {
  await tx`
    insert into relata.import_problems (workspace_id, import_id, number, line, outcome, column_name, value, reason)
    select ${workspaceId}, ${id}, p.number, p.line, p.outcome, p.column, p.value, p.reason
    from json_to_recordset(${JSON.stringify(problems)}::text::json)
      as p (number int, line int, outcome text, "column" text, value text, reason text)
    on conflict do nothing`
}

/** Its file is not needed any more. */
export async function endImport(
  sql: Sql,
  { workspaceId, id }: ImportKey,
  lease: Lease,
  { state, failure = null }: { state: 'finished' | 'cancelled' | 'failed'; failure?: string | null },
  now: Micros,
): Promise<void> {
  await sql.begin(async (tx) => {
    const ended = await tx`
      update relata.imports set state = ${state}, failure = ${failure}, ended_at = ${timestampFromMicros(now)},
        leased_by = null, leased_until = null
      where workspace_id = ${workspaceId} and id = ${id} and leased_by = ${lease} returning id`
    if (ended.length > 0)
      await tx`delete from relata.import_pieces where workspace_id = ${workspaceId} and import_id = ${id}`
  })
}

/** For another process, or the next start, to go on with. */
export async function leaveImport(sql: Sql, { workspaceId, id }: ImportKey, lease: Lease): Promise<void> {
  await sql`
    update relata.imports set state = 'waiting', leased_by = null, leased_until = null
    where workspace_id = ${workspaceId} and id = ${id} and state = 'running' and leased_by = ${lease}`
}
