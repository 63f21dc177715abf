/**
 * Runs short writes in two round trips: BEGIN is sent with the first statement, and COMMIT with the last one. When the last
 * statement fails, PostgreSQL rolls back instead of committing. See docs/decisions/writes.md.
 */

import type { Database, Transaction } from '#db/connect'
import { type ParameterTexts, runStorageStatement, type Statement } from './statement'

/** The only statement of a transaction that writes rows. */
export interface LastStatement<T> {
  readonly statement: Statement
  readonly texts: ParameterTexts
  /** The result of the transaction. */
  readonly result: T
}

type Connection = Pick<Database, 'sql' | 'isInTransaction'>
/** Locks and reads rows. PostgreSQL has not answered BEGIN yet when the first of these statements is sent, so none may write. */
type Steps<T> = (tx: Transaction) => Promise<T>

/** Runs `steps`, sends the statement that they return, and commits. Without a statement, the result is undefined. */
export function runShortTransaction<T>(db: Connection, steps: Steps<LastStatement<T>>): Promise<T>
export function runShortTransaction<T>(
  db: Connection,
  steps: Steps<LastStatement<T> | undefined>,
): Promise<T | undefined>
export async function runShortTransaction<T>(
  db: Connection,
  steps: Steps<LastStatement<T> | undefined>,
): Promise<T | undefined> {
  if (db.isInTransaction) return runInSavepoint(db, steps)
  const connection = await db.sql.reserve()
  try {
    return await runOn(connection as unknown as Transaction, steps) // only savepoints are missing
  } finally {
    connection.release()
  }
}

async function runOn<T>(tx: Transaction, steps: Steps<LastStatement<T> | undefined>): Promise<T | undefined> {
  const begun = send(tx.unsafe('begin'))
  try {
    const last = await steps(tx)
    await begun
    if (last !== undefined) return await writeAndCommit(tx, last)
  } catch (error) {
    // After COMMIT there is no transaction, and PostgreSQL ignores this. It fails on a connection that is lost.
    await tx.unsafe('rollback').catch(() => {})
    throw error
  }
  await tx.unsafe('rollback')
  return undefined
}

async function writeAndCommit<T>(tx: Transaction, { statement, texts, result }: LastStatement<T>): Promise<T> {
  const written = send(runStorageStatement(tx, statement, texts))
  const committed = send(tx.unsafe('commit'))
  await Promise.allSettled([written, committed])
  await written
  await committed
  return result
}

/** The driver sends a statement when its promise is first used. The caller awaits the promise later. */
function send<T>(statement: Promise<T>): Promise<T> {
  statement.catch(() => {})
  return statement
}

/** `runInTransaction` waits for each statement, and its connection cannot be reserved. */
async function runInSavepoint<T>(
  { sql }: Connection,
  steps: Steps<LastStatement<T> | undefined>,
): Promise<T | undefined> {
  const last: { result?: T } = {}
  await sql.begin(async (tx) => {
    const found = await steps(tx)
    if (found === undefined) return
    await runStorageStatement(tx, found.statement, found.texts)
    last.result = found.result
  })
  return last.result
}
