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

/** Prepared for their parsing only: each run is planned for its own operands, as `db.queries` is set to do. */
export async function runStatement(
  { db, signal }: Pick<Call, 'db' | 'signal'>,
  { text, parameters }: Statement,
): Promise<readonly Row[]> {
  const query = db.queries.unsafe(text, [...parameters], queryPreparedIfRoom(text)).values()
  const cancel = () => query.cancel()
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel)
  try {
    return (await query) as unknown as Row[] // rows as arrays
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) throw queryTimedOut()
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
