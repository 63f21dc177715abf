/**
 * Runs statements of callers' queries: on connections of their own, none longer than its time limit, and none for a
 * caller who has gone.
 */

import { queryPreparedIfRoom } from '../../db/prepared'
import type { Call } from '../call'
import { queryTimedOut } from '../errors'
import type { Row } from '../values/layout'
import type { Statement } from './statement'

/** PostgreSQL's code for both. */
const QUERY_CANCELED = '57014'

/**
 * Gives the rows as arrays. Prepared for their parsing only: each run is planned for its own operands, as `db.queries`
 * is set to do. Throws 400 when it takes too long.
 */
export async function runStatement(call: Pick<Call, 'db' | 'signal'>, statement: Statement): Promise<readonly Row[]> {
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
  const cancel = () => query.cancel()
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel)
  try {
    return (await query) as unknown as Row[] // as `values` gives them
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

const isCancellation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === QUERY_CANCELED
