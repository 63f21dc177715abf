/**
 * Runs transactions whose last statement and COMMIT are sent together, so that a short write takes fewer round trips and holds
 * its locks for a shorter time. When the statement fails, PostgreSQL rolls back instead of committing. Decision 0084.
 */

import type { Database, Transaction } from '../../db/connect'
import type { Row } from './layout'
import { type ParameterTexts, runStatement, type Statement } from './statement'

export interface LastStatement<T> {
  readonly statement: Statement
  readonly texts: ParameterTexts
  /** The result of the transaction. */
  readonly result: T
}

type Connection = Pick<Database, 'sql'>
type Steps<T> = (tx: Transaction) => Promise<T>

/** Runs `steps`, sends the statement that they return, and commits. Without a statement, the result is undefined. */
export function commitWithStatement<T>(db: Connection, steps: Steps<LastStatement<T>>): Promise<T>
export function commitWithStatement<T>(
  db: Connection,
  steps: Steps<LastStatement<T> | undefined>,
): Promise<T | undefined>
export async function commitWithStatement<T>(
  { sql }: Connection,
  steps: Steps<LastStatement<T> | undefined>,
): Promise<T | undefined> {
  const last: { sent?: Promise<Row[]>; result?: T } = {}
  try {
    await sql.begin(async (tx) => {
      const found = await steps(tx)
      if (found === undefined) return
      last.result = found.result
      last.sent = runStatement(tx, found.statement, found.texts)
      // The driver sends a statement when its promise is first used, so before the COMMIT. The error is thrown below.
      last.sent.catch(() => {})
    })
  } catch (error) {
    await last.sent // its own error, and not that of the end of the transaction
    throw error
  }
  await last.sent
  return last.result
}
