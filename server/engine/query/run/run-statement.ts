/**
 * Runs the statements of queries on connections of their own, under a time limit. A statement is cancelled when its caller
 * disconnects.
 */

import type { Database } from '#db/connect'
import { cancelOnAbort } from '#db/driver/cancel-on-abort'
import { rowOf } from '#db/driver/row-messages'
import { runOnLookupPool } from '#db/lookup-pool'
import { prepareOptions } from '#db/prepared-statements'
import type { RequestContext } from '#context'
import { isCancellation } from '#base/errors/database'
import { queryTimedOut } from '#base/errors/queries'
import type { Row } from '#engine/storage/layout'
import { createConcurrencyLimiter, type ConcurrencyLimiter } from './concurrency-limiter'
import { collectorsOf, type RowCollector, sendForEach } from './page-body'
import type { QueryStatement } from '#engine/query/compile/page-statement'

type Caller = Pick<RequestContext, 'db' | 'signal'>

/** Runs a lookup of a few rows on the connections of single reads, which cache its plan. */
export const runSmallLookup = <R>(
  { db }: Pick<RequestContext, 'db'>,
  statement: QueryStatement,
  open: () => RowCollector<R>,
): Promise<R> =>
  runOnLookupPool(db, (sql) => sendForEach(sql, statement, prepareOptions(statement.text), open()).collect())

const limiters = new WeakMap<Database['queries'], ConcurrencyLimiter>()

/** Like `collectStatement`, and returns the rows as arrays. */
export const runStatement = (context: Caller, statement: QueryStatement, isLong = false): Promise<readonly Row[]> =>
  collectStatement(context, statement, collectorsOf(rowOf), isLong)

/**
 * Returns what a collector of `open` collects. Each run of the statement has a collector of its own. PostgreSQL prepares the
 * statement once and plans each run for its own operands, by a setting of `db.queries`. `isLong` is the expectation for a
 * statement that has not run before. Throws 400 when the statement takes too long.
 */
export function collectStatement<R>(
  context: Caller,
  statement: QueryStatement,
  open: () => RowCollector<R>,
  isLong: boolean,
): Promise<R> {
  const { queries } = context.db
  const limiter = limiters.get(queries) ?? createConcurrencyLimiter(queries.options.max)
  limiters.set(queries, limiter)
  return limiter.run(statement.text, isLong, () => runWithTimeLimit(context, statement, open))
}

async function runWithTimeLimit<R>(
  context: Caller,
  statement: QueryStatement,
  open: () => RowCollector<R>,
): Promise<R> {
  // The driver never settles a statement that was cancelled before it was sent.
  if (context.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(context, statement, open())
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isTimedOut = context.signal?.aborted === true || performance.now() - startedAt >= context.db.queryTimeoutMs
    if (isTimedOut) throw queryTimedOut()
  }
  // The cancellation was for an earlier statement of this connection and arrived after its end.
  return runOnce(context, statement, open())
}

async function runOnce<R>({ db, signal }: Caller, statement: QueryStatement, collector: RowCollector<R>): Promise<R> {
  const options = { ...prepareOptions(statement.text), endsEarly: true }
  const { query, collect } = sendForEach(db.queries, statement, options, collector)
  const stopListening = cancelOnAbort(query, signal)
  try {
    return await collect()
  } finally {
    stopListening()
  }
}
