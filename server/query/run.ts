/**
 * Runs statements of callers' queries: on connections of their own, none longer than its time limit, and none for a
 * caller who has gone.
 */

import type { Database } from '../../db/connect'
import { preparedIfRoom, queryPreparedIfRoom } from '../../db/prepared'
import type { Call } from '../call'
import { queryTimedOut } from '../errors'
import type { Row } from '../values/layout'
import { createLanes, type Lanes } from './lanes'
import type { Statement } from './statement'

/** PostgreSQL's code for both. */
const QUERY_CANCELED = '57014'

/** The same for a statement that is always short: where gets are, which keep their plans. */
export const runLookup = async ({ db }: Pick<Call, 'db'>, { text, parameters }: Statement): Promise<readonly Row[]> =>
  (await db.sql.unsafe(text, [...parameters], preparedIfRoom(text)).values()) as unknown as Row[] // as `values` gives them

const lanesOf = new WeakMap<Database['queries'], Lanes>()

/**
 * Gives the rows as arrays. Prepared for their parsing only: each run is planned for its own operands, as `db.queries`
 * is set to do. `isLong` is what is expected of it, until it is known. Throws 400 when it takes too long.
 */
export function runStatement(
  call: Pick<Call, 'db' | 'signal'>,
  statement: Statement,
  isLong = false,
): Promise<readonly Row[]> {
  const { queries } = call.db
  const lanes = lanesOf.get(queries) ?? createLanes(queries.options.max)
  lanesOf.set(queries, lanes)
  return lanes.run(statement.text, isLong, () => runInTime(call, statement))
}

async function runInTime(call: Pick<Call, 'db' | 'signal'>, statement: Statement): Promise<readonly Row[]> {
  // The driver would wait for ever for the end of a statement that was cancelled before it was sent.
  if (call.signal?.aborted) throw queryTimedOut()
  const startedAt = performance.now()
  try {
    return await runOnce(call, statement)
  } catch (error) {
    if (!isCancellation(error)) throw error
    const isOver = call.signal?.aborted === true || performance.now() - startedAt >= call.db.queryTimeoutMs
    if (isOver) throw queryTimedOut()
  }
  // Meant for the query before on the same connection, which had ended by then.
  return runOnce(call, statement)
}

async function runOnce({ db, signal }: Pick<Call, 'db' | 'signal'>, { text, parameters }: Statement) {
  const query = db.queries.unsafe(text, [...parameters], queryPreparedIfRoom(text)).values()
  let waiting: Timer | undefined
  const cancel = () => {
    if (isSent(query)) query.cancel()
    else waiting = setTimeout(cancel, RETRY_CANCEL_MS)
  }
  signal?.addEventListener('abort', cancel)
  try {
    return (await query) as unknown as Row[] // as `values` gives them
  } finally {
    signal?.removeEventListener('abort', cancel)
    clearTimeout(waiting)
  }
}

const RETRY_CANCEL_MS = 10

/**
 * Whether a connection has it. Of one that is cancelled while its connection is still being opened, the driver would never
 * use that connection again, nor open another in its place.
 */
const isSent = (query: object): boolean => 'state' in query && query.state !== null

const isCancellation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === QUERY_CANCELED
