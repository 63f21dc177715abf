/** Runs statements of callers' queries: on connections of their own, none longer than its time limit. */

import type { Database } from '../../db/connect'
import { queryTimedOut } from '../errors'
import type { Row } from '../values/layout'
import type { Statement } from './statement'

const QUERY_CANCELED = '57014'

/** Not prepared: their texts are too many to keep, and plans made for the operands at hand are better. */
export async function runStatement(db: Database, { text, parameters }: Statement): Promise<readonly Row[]> {
  try {
    return (await db.queries.unsafe(text, [...parameters], { prepare: false }).values()) as unknown as Row[] // rows as arrays
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) throw queryTimedOut()
    throw error
  }
}
