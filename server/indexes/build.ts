/** Builds one index while the table stays in use, whatever an earlier attempt left behind. */

import type { Database, Sql } from '../../db/connect'
import { changeDataModel } from '../data-model/change'
import { type Clock, timestampFromMicros } from '../time'
import { sampleTexts, textColumns } from './sampled-texts'
import { type IndexTask, markBuilding, markFailed, markReady } from './store'

/** The connection that builds, and what is needed to note what came of it. */
export interface Building {
  readonly db: Database
  /** Not in a transaction, in which nothing can be built `concurrently`. */
  readonly sql: Sql
  readonly now: Clock
}

/** How many texts of a column are sampled while parts of them are looked up, and otherwise. */
const [TEXTS_SAMPLED, AS_USUAL] = [200, -1] as const

const MOST_FAILURES = 3
const RETRY_AFTER_SECONDS = 60
/** After the table was needed for something else, or a long transaction was in the way. */
const RETRY_SOON_SECONDS = 15

/** PostgreSQL's codes for that: a lock not had in time, a statement cancelled, a deadlock. */
const IN_THE_WAY = new Set(['55P03', '57014', '40P01'])

/** What no other attempt would change. */
class Impossible extends Error {}

/** Gives whether the index is ready. What failed is noted, and tried again later or given up. */
export async function buildIndex(building: Building, task: IndexTask): Promise<boolean> {
  const { db, now } = building
  try {
    await markBuilding(db, task)
    const started = performance.now()
    const isBuilt = await makeValid(building, task)
    const buildMs = isBuilt ? Math.round(performance.now() - started) : null
    await changeDataModel(db, task.workspaceId, ({ tx }) =>
      markReady(tx, task, { now: timestampFromMicros(now()), buildMs }),
    )
    return true
  } catch (error) {
    await noteFailure(building, task, error)
    return false
  }
}

/** Gives whether anything had to be built. */
async function makeValid({ sql }: Building, task: IndexTask): Promise<boolean> {
  const { schema, name, table, definition } = task
  const isValid = await findValidity(sql, task)
  if (isValid === true) return false
  if (isValid === false) await dropIndex(sql, task)
  if (definition.includes('gin_trgm_ops')) await requireTrigrams(sql)
  await sql.unsafe(`create index concurrently ${name} on ${table} ${definition}`)
  await sampleTexts(sql, await textColumns(sql, task), TEXTS_SAMPLED)
  // The planner knows nothing yet of what the index is made over, where that is no column.
  await sql.unsafe(`analyze ${table}`)
  if ((await findValidity(sql, task)) !== true)
    throw new Error(`The index ${schema}.${name} was built and is not valid.`)
  return true
}

/** False for what an attempt that was interrupted left behind, which costs every write and serves no query. */
async function findValidity(sql: Sql, { schema, name }: Pick<IndexTask, 'schema' | 'name'>) {
  const [found] = await sql<{ is_valid: boolean }[]>`
    select indisvalid as is_valid from pg_index where indexrelid = to_regclass(${`${schema}."${name}"`})`
  return found?.is_valid
}

/** With what was done for it. */
export async function dropIndex(sql: Sql, index: Pick<IndexTask, 'schema' | 'name'>): Promise<void> {
  const columns = await textColumns(sql, index)
  await sql.unsafe(`drop index concurrently if exists ${index.schema}."${index.name}"`)
  await sampleTexts(sql, columns, AS_USUAL)
}

async function requireTrigrams(sql: Sql): Promise<void> {
  const [found] = await sql`select 1 from pg_extension where extname = 'pg_trgm'`
  if (found) return
  try {
    await sql`create extension if not exists pg_trgm`
  } catch (error) {
    throw new Impossible(`The extension pg_trgm is missing and cannot be made: ${textOf(error)}`)
  }
}

async function noteFailure({ db, sql, now }: Building, task: IndexTask, error: unknown): Promise<void> {
  const isInTheWay = error instanceof Error && 'code' in error && IN_THE_WAY.has(String(error.code))
  const failures = task.failures + (isInTheWay ? 0 : 1)
  const isGivenUp = error instanceof Impossible || failures >= MOST_FAILURES
  const delay = isInTheWay ? RETRY_SOON_SECONDS : RETRY_AFTER_SECONDS * failures
  const retryAt = isGivenUp ? null : timestampFromMicros(now() + delay * 1_000_000)
  await markFailed(db, task, { error: textOf(error), failures, retryAt })
  if (isGivenUp && (await findValidity(sql, task)) === false) await dropIndex(sql, task)
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
