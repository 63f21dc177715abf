/**
 * Runs statements of callers' queries: on connections of their own, none longer than its time limit, and none for a
 * caller who has gone.
 */

import type { Database, Sql } from '../../../db/connect'
import { cancelOnAbort } from '../../../db/driver/cancel-on-abort'
import { onLookups } from '../../../db/lookup-pool'
import { preparedIfRoom, queryPreparedIfRoom } from '../../../db/prepared-statements'
import type { Call } from '../../call'
import { queryTimedOut } from '../../errors/errors'
import type { Row } from '../../storage/layout'
import { createLanes, type Lanes } from './concurrency-limiter'
import { readEach, type ReadRow } from './read-each'
import type { Statement } from '../compile/page-statement'

type Caller = Pick<Call, 'db' | 'signal'>

/** PostgreSQL's code for both. */
const QUERY_CANCELED = '57014'

/** The same for a statement that is always short: where gets are, which keep their plans, if it is `ofFew` holders. */
export function runLookup<T>(
  { db }: Pick<Call, 'db'>,
  { text, parameters }: Statement,
  read: ReadRow<T>,
  ofFew: boolean,
): Promise<T[]> {
  const send = (sql: Sql) => readEach(sql.unsafe(text, [...parameters], preparedIfRoom(text)).values(), read)
  return ofFew ? onLookups(db, send) : send(db.sql)
}

const lanesOf = new WeakMap<Database['queries'], Lanes>()

/** Gives the rows as arrays. Otherwise as `readStatement`. */
export const runStatement = (call: Caller, statement: Statement, isLong = false): Promise<readonly Row[]> =>
  readStatement(call, statement, (row) => row, isLong)

/**
 * Gives what `read` makes of each row. Prepared for its parsing only: each run is planned for its own operands, as
 * `db.queries` is set to do. `isLong` is what is expected of it, until it is known. Throws 400 when it takes too long.
 */
export function readStatement<T>(call: Caller, statement: Statement, read: ReadRow<T>, isLong: boolean): Promise<T[]> {
  const { queries } = call.db
  const lanes = lanesOf.get(queries) ?? createLanes(queries.options.max)
  lanesOf.set(queries, lanes)
  return lanes.run(statement.text, isLong, () => runInTime(call, statement, read))
}

async function runInTime<T>(call: Caller, statement: Statement, read: ReadRow<T>): Promise<T[]> {
  // The driver would wait for ever for the end of a statement that was cancelled before it was sent.
  if (call.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(call, statement, read)
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isOver = call.signal?.aborted === true || performance.now() - startedAt >= call.db.queryTimeoutMs
    if (isOver) throw queryTimedOut()
  }
  // Meant for the query before on the same connection, which had ended by then.
  return runOnce(call, statement, read)
}

async function runOnce<T>({ db, signal }: Caller, { text, parameters }: Statement, read: ReadRow<T>): Promise<T[]> {
  const query = db.queries.unsafe(text, [...parameters], queryPreparedIfRoom(text)).values()
  const stopListening = cancelOnAbort(query, signal)
  try {
    return await readEach(query, read)
  } finally {
    stopListening()
  }
}

const isCancellation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === QUERY_CANCELED
