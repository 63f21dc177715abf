/**
 * Runs the statements of queries on connections of their own, under a time limit. A statement is cancelled when its caller
 * disconnects.
 */

import type { Database, Sql } from '../../../db/connect'
import { cancelOnAbort } from '../../../db/driver/cancel-on-abort'
import { runOnLookupPool } from '../../../db/lookup-pool'
import { prepareOptions, queryPrepareOptions } from '../../../db/prepared-statements'
import type { RequestContext } from '../../context'
import { queryTimedOut } from '../../errors/queries'
import type { Row } from '../../storage/layout'
import { createConcurrencyLimiter, type ConcurrencyLimiter } from './concurrency-limiter'
import { readEach, type RowReader } from './read-each'
import type { Statement } from '../compile/page-statement'

type Caller = Pick<RequestContext, 'db' | 'signal'>

/** PostgreSQL's code for a statement that was cancelled or reached its time limit. */
const QUERY_CANCELED = '57014'

/** Runs a lookup, which is always short. A small one runs on the connections of single reads, which cache its plan. */
export function runLookup<T>(
  { db }: Pick<RequestContext, 'db'>,
  { text, parameters }: Statement,
  read: RowReader<T>,
  isSmall: boolean,
): Promise<T[]> {
  const send = (sql: Sql) => readEach(sql.unsafe(text, [...parameters], prepareOptions(text)).values(), read)
  return isSmall ? runOnLookupPool(db, send) : send(db.sql)
}

const limiters = new WeakMap<Database['queries'], ConcurrencyLimiter>()

/** Like `readStatement`, and returns the rows as arrays. */
export const runStatement = (context: Caller, statement: Statement, isLong = false): Promise<readonly Row[]> =>
  readStatement(context, statement, (row) => row, isLong)

/**
 * Returns the rows that `read` converts. PostgreSQL prepares the statement once and plans each run for its own operands, by a
 * setting of `db.queries`. `isLong` is the expectation for a statement that has not run before. Throws 400 when the statement
 * takes too long.
 */
export function readStatement<T>(
  context: Caller,
  statement: Statement,
  read: RowReader<T>,
  isLong: boolean,
): Promise<T[]> {
  const { queries } = context.db
  const limiter = limiters.get(queries) ?? createConcurrencyLimiter(queries.options.max)
  limiters.set(queries, limiter)
  return limiter.run(statement.text, isLong, () => runWithTimeLimit(context, statement, read))
}

async function runWithTimeLimit<T>(context: Caller, statement: Statement, read: RowReader<T>): Promise<T[]> {
  // The driver never settles a statement that was cancelled before it was sent.
  if (context.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(context, statement, read)
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isTimedOut = context.signal?.aborted === true || performance.now() - startedAt >= context.db.queryTimeoutMs
    if (isTimedOut) throw queryTimedOut()
  }
  // The cancellation was for an earlier statement of this connection and arrived after its end.
  return runOnce(context, statement, read)
}

async function runOnce<T>({ db, signal }: Caller, { text, parameters }: Statement, read: RowReader<T>): Promise<T[]> {
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
