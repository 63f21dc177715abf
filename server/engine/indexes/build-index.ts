/** Builds one index while the table stays in use. Replaces what an interrupted attempt left behind. */

import { alterStored, readStored } from '#db/citus'
import { type Database, renderArray, type Sql } from '#db/connect'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { isCancellation, isTransactionConflict } from '#base/errors/database'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { type IndexBuildTask, markBuilding, markFailed, markReady, postpone } from './store'
import { MIN_MATCHING_ROWS } from './index-request'

/** What a build needs: the connection that builds, and the database in which the outcome is recorded. */
export interface IndexBuildContext {
  readonly db: Database
  /** A connection outside of any transaction, because `create index concurrently` does not run in one. */
  readonly sql: Sql
  readonly now: Clock
}

/** The statistics target of a column with a trigram index, and PostgreSQL's value for its default target. */
const [TRIGRAM_STATISTICS, DEFAULT_STATISTICS] = [200, -1] as const

const MAX_FAILURES = 3
const RETRY_AFTER_SECONDS = 60
const WEIGH_AGAIN_SECONDS = 24 * 3600
/** After a build was interrupted for a change of its table, or waited too long for another transaction. */
const RETRY_AFTER_CONFLICT_SECONDS = 15

/** A failure that every further attempt would repeat. */
class PermanentFailure extends Error {}

/**
 * Returns whether the index is ready. Records a failure, which is retried later until the limit of failures. An index over
 * several columns that is not worth its cost is weighed again a day later.
 */
export async function buildIndex(building: IndexBuildContext, task: IndexBuildTask): Promise<boolean> {
  const { db, now } = building
  try {
    // What is left of an interrupted build was weighed before it.
    const rejection = task.state === 'wanted' ? await weighIndex(db, task) : undefined
    if (rejection !== undefined) {
      await postpone(db, task, {
        error: rejection,
        retryAt: timestampFromMicros(now() + WEIGH_AGAIN_SECONDS * 1_000_000),
      })
      return false
    }
    await markBuilding(db, task)
    const started = performance.now()
    const isBuilt = await makeValid(building, task)
    const buildMs = isBuilt ? Math.round(performance.now() - started) : null
    await changeWorkspaceModel(db, task.workspaceId, ({ tx }) =>
      markReady(tx, task, { now: timestampFromMicros(now()), buildMs }),
    )
    return true
  } catch (error) {
    await recordFailure(building, task, error)
    return false
  }
}

/** Makes sure that a valid index exists. Returns whether it had to be built. */
async function makeValid({ sql }: IndexBuildContext, task: IndexBuildTask): Promise<boolean> {
  const { schema, name, table, kind, definition } = task
  const isValid = await findValidity(sql, task)
  if (isValid === true) return false
  if (isValid === false) await dropIndex(sql, task)
  if (definition.includes('gin_trgm_ops')) await requireTrigrams(sql)
  await sql.unsafe(`create index concurrently ${name} on ${table} ${definition}`)
  await setStatisticsTarget(sql, await findTrigramColumns(sql, task), TRIGRAM_STATISTICS)
  // An index over an expression has no statistics until its table is analysed. Reading an index alone needs what a vacuum writes.
  await sql.unsafe(`${kind === 'covering' ? 'vacuum (analyze)' : 'analyze'} ${table}`)
  if ((await findValidity(sql, task)) !== true)
    throw new Error(`The index ${schema}.${name} was built and is not valid.`)
  return true
}

/** Returns false for the remains of an interrupted build, which slow writes down and serve no query. */
async function findValidity(sql: Sql, { schema, name }: Pick<IndexBuildTask, 'schema' | 'name'>) {
  const [found] = await sql<{ is_valid: boolean }[]>`
    select indisvalid as is_valid from pg_index where indexrelid = to_regclass(${`${schema}."${name}"`})`
  return found?.is_valid
}

/** Drops an index and resets the statistics target of its columns. */
export async function dropIndex(sql: Sql, index: Pick<IndexBuildTask, 'schema' | 'name'>): Promise<void> {
  const columns = await findTrigramColumns(sql, index)
  await sql.unsafe(`drop index concurrently if exists ${index.schema}."${index.name}"`)
  await setStatisticsTarget(sql, columns, DEFAULT_STATISTICS)
}

async function requireTrigrams(sql: Sql): Promise<void> {
  const [found] = await sql`select 1 from pg_extension where extname = 'pg_trgm'`
  if (found) return
  try {
    await sql`create extension if not exists pg_trgm`
  } catch (error) {
    throw new PermanentFailure(`The extension pg_trgm is missing and cannot be made: ${textOf(error)}`)
  }
}

async function recordFailure({ db, sql, now }: IndexBuildContext, task: IndexBuildTask, error: unknown): Promise<void> {
  const isConflict = isTransactionConflict(error) || isCancellation(error)
  const failures = task.failures + (isConflict ? 0 : 1)
  const isGivenUp = error instanceof PermanentFailure || failures >= MAX_FAILURES
  const delay = isConflict ? RETRY_AFTER_CONFLICT_SECONDS : RETRY_AFTER_SECONDS * failures
  const retryAt = isGivenUp ? null : timestampFromMicros(now() + delay * 1_000_000)
  await markFailed(db, task, { error: textOf(error), failures, retryAt })
  if (isGivenUp && (await findValidity(sql, task)) === false) await dropIndex(sql, task)
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// Raises the statistics target of columns with a trigram index. PostgreSQL estimates from the sampled texts how many rows
// contain a substring. With the default sample of a hundred, it underestimates a substring that one row in sixty has, and
// reads all of its matches from the index instead of the first rows in sort order. See docs/decisions/queries.md.

/** Table and column, both quoted for SQL. */
interface Column {
  readonly table: string
  readonly name: string
}

/** Returns the column of a trigram index. Returns nothing for other indexes, and for one over an expression. */
const findTrigramColumns = async (
  sql: Sql,
  { schema, name }: Pick<IndexBuildTask, 'schema' | 'name'>,
): Promise<Column[]> =>
  sql<Column[]>`
    select i.indrelid::regclass::text as table, quote_ident(a.attname) as name
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    join pg_opclass o on o.oid = i.indclass[0]
    where i.indexrelid = to_regclass(${`${schema}."${name}"`}) and o.opcname = 'gin_trgm_ops'`

/** Sets the statistics target. It takes effect when PostgreSQL next analyses the table. */
async function setStatisticsTarget(sql: Sql, columns: readonly Column[], texts: number): Promise<void> {
  for (const { table, name } of columns) {
    await alterStored(sql, table, `alter column ${name} set statistics ${texts}`)
  }
}

// Weighs an index over several columns before it is built: when few rows have the same values, the index on one column finds
// them and PostgreSQL sorts them at once. See docs/decisions/indexes.md.

/** Returns why the index is not worth its cost. Undefined when it is, or the table has no statistics. */
async function weighIndex(
  db: Database,
  { table, equalColumns, isPinned }: IndexBuildTask,
): Promise<string | undefined> {
  if (equalColumns.length === 0 || isPinned) return undefined
  // The most rows with the same value of a column. `n_distinct` is negative when it is a share of the rows.
  const found = await readStored(
    db,
    table,
    `select min(c.reltuples * coalesce(s.most_common_freqs[1],
      case when s.n_distinct < 0 then -1 / (s.n_distinct * c.reltuples) when s.n_distinct > 0 then 1 / s.n_distinct end))
    from pg_class c
    join pg_stats s on to_regnamespace(quote_ident(s.schemaname)) = c.relnamespace and s.tablename = c.relname
    where c.oid = to_regclass('%s') and c.reltuples > 0 and s.attname = any('${renderArray(equalColumns)}'::text[])`,
  )
  if (found === null || Number(found) >= MIN_MATCHING_ROWS) return undefined
  return `Not worth its cost: about ${Math.round(Number(found))} rows at most have the same values.`
}
