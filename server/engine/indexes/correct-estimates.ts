/**
 * Finds columns whose statistics mislead PostgreSQL's planner, which multiplies the shares of equal values as if the columns were
 * independent. The index worker compares the planner's estimate for columns that queries compare together with a sample of the
 * rows, and creates extended statistics when the two differ much. See docs/decisions/indexes.md.
 */

import type { Sql } from '#db/connect'
import { isCancellation } from '#base/errors/database'
import { timestampFromMicros } from '#base/timing/clock'
import type { IndexBuildContext } from './build-index'
import { REQUIRED_COMPOSITE_REQUESTS } from './index-request'
import type { IndexBuildTask } from './store'

type ComparedColumns = Pick<IndexBuildTask, 'workspaceId' | 'name' | 'schema' | 'table' | 'equalColumns'>

const SAMPLED_ROWS = 10_000
/** The most frequent values of the sample are compared, if they occur often enough to be more than chance. */
const [MAX_COMPARED, MIN_OCCURRENCES] = [3, 30]
const MISLEADING_FACTOR = 3
const CHECK_AGAIN_HOURS = 24
const STATEMENT_TIMEOUT = '5s'

/**
 * Returns the names of the created statistics. Calls `begin` before it works on a table of a workspace. Creates none on Citus, where the
 * coordinator has no estimate of its own.
 */
export async function correctEstimates(
  building: IndexBuildContext,
  begin: (workspaceId: string) => void,
): Promise<string[]> {
  const { db, sql, now } = building
  const created: string[] = []
  if (db.isDistributed) return created
  for (const columns of await findColumns(building)) {
    begin(columns.workspaceId)
    // Before the check, so that one that fails does not keep the others from being checked.
    await db.sql`
      update relata.indexes set estimate_checked_at = ${timestampFromMicros(now())}
      where workspace_id = ${columns.workspaceId} and name = ${columns.name}`
    const name = statisticsName(columns)
    if (await isMisleading(sql, columns)) {
      await sql.unsafe(
        `create statistics if not exists ${name} on ${columns.equalColumns.join(', ')} from ${columns.table}`,
      )
      await sql.unsafe(`analyze ${columns.table}`)
      created.push(name)
    }
  }
  return created
}

/** Drops the statistics over the columns of an index, if there are any. */
export const dropStatistics = async (sql: Sql, index: Pick<IndexBuildTask, 'schema' | 'name'>): Promise<void> => {
  await sql.unsafe(`drop statistics if exists ${statisticsName(index)}`)
}

const statisticsName = ({ schema, name }: Pick<IndexBuildTask, 'schema' | 'name'>): string =>
  `${schema}."${name}_statistics"`

/** The columns that queries often compare together, and that were not checked for a day. */
const findColumns = async ({ db, now }: IndexBuildContext): Promise<ComparedColumns[]> => [
  ...(await db.sql<ComparedColumns[]>`
    select i.workspace_id as "workspaceId", i.name, i.equal_columns as "equalColumns", format('"w_%s"', w.number) as schema,
      format('"w_%s"."%s_%s"', w.number, left(o.kind, 1), o.number) as table
    from relata.indexes i
    join relata.workspaces w on w.id = i.workspace_id
    join relata.entity_types o on o.workspace_id = i.workspace_id and o.id = i.entity_type_id
    where i.kind = 'composite' and cardinality(i.equal_columns) > 1
      and (i.state = 'ready' or i.requests >= ${REQUIRED_COMPOSITE_REQUESTS}::int)
      and (i.estimate_checked_at is null
        or i.estimate_checked_at < ${timestampFromMicros(now() - CHECK_AGAIN_HOURS * 3600 * 1_000_000)})
    order by i.name`),
]

/** False when there are statistics already, or the sample took too long. */
async function isMisleading(sql: Sql, columns: ComparedColumns): Promise<boolean> {
  const [existing] = await sql`
    select from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
    where format('"%s"."%s"', n.nspname, s.stxname) = ${statisticsName(columns)}`
  if (existing) return false
  await sql`select set_config('statement_timeout', ${STATEMENT_TIMEOUT}, false)`
  try {
    for (const { values, rows } of await sampleRows(sql, columns)) {
      const estimated = await estimateRows(sql, columns, values)
      if (Math.max(estimated / rows, rows / estimated) >= MISLEADING_FACTOR) return true
    }
    return false
  } catch (error) {
    if (isCancellation(error)) return false
    throw error
  } finally {
    await sql`select set_config('statement_timeout', '0', false)`
  }
}

interface SampledValues {
  readonly values: readonly string[]
  /** How many rows of the table have them, according to the sample. */
  readonly rows: number
}

async function sampleRows(sql: Sql, { table, equalColumns }: ComparedColumns): Promise<SampledValues[]> {
  const [size] = await sql<{ rows: number }[]>`
    select reltuples::float8 as rows from pg_class where oid = to_regclass(${table})`
  const rows = Math.max(size?.rows ?? 0, 1)
  const share = Math.min(1, SAMPLED_ROWS / rows)
  const found = await sql.unsafe<{ values: string[]; occurrences: number; share: number }[]>(`
    select array[${equalColumns.map((column) => `${column}::text`).join(', ')}] as values, occurrences, share from (
      select ${equalColumns.join(', ')}, count(*)::int as occurrences, (count(*) / sum(count(*)) over ())::float8 as share
      from ${table} tablesample system (${share * 100}) group by ${equalColumns.join(', ')}) sampled
    where ${equalColumns.map((column) => `${column} is not null`).join(' and ')}
    order by occurrences desc limit ${MAX_COMPARED}`)
  return found
    .filter(({ occurrences }) => occurrences >= MIN_OCCURRENCES)
    .map((sampled) => ({ values: sampled.values, rows: sampled.share * rows }))
}

async function estimateRows(sql: Sql, { table, equalColumns }: ComparedColumns, values: readonly string[]) {
  const condition = equalColumns.map((column, index) => `${column} = $${index + 1}`).join(' and ')
  const [explained] = await sql.unsafe<{ 'QUERY PLAN': unknown }[]>(
    `explain (format json) select from ${table} where ${condition}`,
    [...values],
  )
  return planRows(explained?.['QUERY PLAN'])
}

/** The estimate of the topmost node of a plan. PostgreSQL estimates at least one row. */
function planRows(plans: unknown): number {
  const [first] = (typeof plans === 'string' ? JSON.parse(plans) : plans) as { Plan: { 'Plan Rows': number } }[] // PostgreSQL's own format
  return first?.Plan['Plan Rows'] ?? 1
}
