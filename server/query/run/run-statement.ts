/**
 * Runs statements of callers' queries: on connections of their own, none longer than its time limit, and none for a
 * caller who has gone.
 */

import type { Database, Sql } from '../../../db/connect'
import { cancelOnAbort } from '../../../db/driver/cancel-on-abort'
import { runOnLookupPool } from '../../../db/lookup-pool'
import { prepareOptions, queryPrepareOptions } from '../../../db/prepared-statements'
import type { RequestContext } from '../../context'
import { queryTimedOut } from '../../errors/queries'
import type { Row } from '../../storage/layout'
import { createConcurrencyLimiter, type ConcurrencyLimiter } from './concurrency-limiter'
import { readEach, type ReadRow } from './read-each'
import type { Statement } from '../compile/page-statement'

type Caller = Pick<RequestContext, 'db' | 'signal'>

/** PostgreSQL's code for both. */
const QUERY_CANCELED = '57014'

/** The same for a statement that is always short: where gets are, which keep their plans, if it is `ofFew` entities. */
export function runLookup<T>(
  { db }: Pick<RequestContext, 'db'>,
  { text, parameters }: Statement,
  read: ReadRow<T>,
  ofFew: boolean,
): Promise<T[]> {
  const send = (sql: Sql) => readEach(sql.unsafe(text, [...parameters], prepareOptions(text)).values(), read)
  return ofFew ? runOnLookupPool(db, send) : send(db.sql)
}

const lanesOf = new WeakMap<Database['queries'], ConcurrencyLimiter>()

/** Gives the rows as arrays. Otherwise as `readStatement`. */
export const runStatement = (context: Caller, statement: Statement, isLong = false): Promise<readonly Row[]> =>
  readStatement(context, statement, (row) => row, isLong)

/**
 * Gives what `read` makes of each row. Prepared for its parsing only: each run is planned for its own operands, as
 * `db.queries` is set to do. `isLong` is what is expected of it, until it is known. Throws 400 when it takes too long.
 */
export function readStatement<T>(
  context: Caller,
  statement: Statement,
  read: ReadRow<T>,
  isLong: boolean,
): Promise<T[]> {
  const { queries } = context.db
  const limiter = lanesOf.get(queries) ?? createConcurrencyLimiter(queries.options.max)
  lanesOf.set(queries, limiter)
  return limiter.run(statement.text, isLong, () => runInTime(context, statement, read))
}

async function runInTime<T>(context: Caller, statement: Statement, read: ReadRow<T>): Promise<T[]> {
  // The driver would wait for ever for the end of a statement that was cancelled before it was sent.
  if (context.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(context, statement, read)
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isOver = context.signal?.aborted === true || performance.now() - startedAt >= context.db.queryTimeoutMs
    if (isOver) throw queryTimedOut()
  }
  // Meant for the query before on the same connection, which had ended by then.
  return runOnce(context, statement, read)
}

async function runOnce<T>({ db, signal }: Caller, { text, parameters }: Statement, read: ReadRow<T>): Promise<T[]> {
  const query = db.queries.unsafe(text, [...parameters], queryPrepareOptions(text)).values()
  const stopListening = cancelOnAbort(query, signal)
  try {
    return await readEach(query, read)
  } finally {
    stopListening()
  }
}

const isCancellation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === QUERY_CANCELED
