/**
 * Runs work that expects a whole `Database` inside one transaction on one connection. Each statement and each transaction
 * of the work is a savepoint, so it succeeds or is rolled back alone, as it would on the pools. All of it is committed at
 * the end, or nothing. See docs/decisions/idempotency.md.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import type { Database, Sql, Transaction } from './connect'
import { interceptStatements } from './driver/intercept-statements'
import type { DB } from './schema'

type Steps<T> = (tx: Transaction) => Promise<T>

export interface TransactionScope {
  /** Runs statements in the transaction without savepoints. A statement that fails ends the transaction. */
  readonly tx: Transaction
  /**
   * Runs `work` in a savepoint and gives it a `Database` of this transaction. Rolls the savepoint back when `work`
   * throws.
   */
  undoable<T>(work: (db: Database) => Promise<T>): Promise<T>
}

/** Commits when `work` resolves and rolls back when it throws. Uses one connection of the pool until then. */
export async function runInTransaction<T>(db: Database, work: (one: TransactionScope) => Promise<T>): Promise<T> {
  // Sent over another connection: other processes must receive it before this transaction ends.
  const notify: Notify = async (channel, payload) => void db.sql.notify(channel, payload).catch(ignore)
  const done = await db.sql.begin(async (tx) => ({ value: await work(oneTransaction(db, tx, notify)) }))
  return (done as { value: T }).value // the driver's type for the callback's result is wider
}

/** Runs `work` in a transaction that is rolled back, and returns its result. Sends no notification. */
export async function runAndRollBack<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  let done: { readonly value: T } | undefined
  try {
    await db.sql.begin(async (tx) => {
      const { undoable } = oneTransaction(db, tx, async () => {})
      const value = await undoable(work)
      // The commit would check the deferred constraints.
      await tx`set constraints all immediate`
      done = { value }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  if (done === undefined) throw new Error('The transaction ended before its work.')
  return done.value
}

class RolledBack extends Error {}

type Notify = (channel: string, payload: string) => Promise<void>

function oneTransaction(db: Database, connection: Transaction, notify: Notify): TransactionScope {
  const { unsafe } = interceptStatements(connection, (send) => send(), {})
  const runSerially = serialQueue()
  let savepoints = 0

  /** Runs steps in a savepoint of their own. */
  async function savepoint<T>(steps: Steps<T>): Promise<T> {
    const name = `step_${++savepoints}`
    await runSerially(() => unsafe(`savepoint ${name}`))
    try {
      const result = await steps(tx)
      await runSerially(() => unsafe(`release savepoint ${name}`))
      return result
    } catch (error) {
      await runSerially(() => rollBackTo(name, unsafe))
      throw error
    }
  }
  const tx = interceptStatements(connection, runSerially, {
    savepoint: <T>(...args: [string, Steps<T>] | [Steps<T>]) => savepoint(lastOf(args)),
  })
  const undoable: TransactionScope['undoable'] = (work) =>
    savepoint(() => work(databaseIn(db, connection, { unsafe, runSerially, savepoint, notify })))
  return { tx, undoable }
}

interface Statements {
  readonly unsafe: Transaction['unsafe']
  readonly runSerially: <T>(work: () => PromiseLike<T>) => Promise<T>
  readonly savepoint: <T>(steps: Steps<T>) => Promise<T>
  readonly notify: Notify
}

/** Makes the `Database` whose members all use this transaction. */
function databaseIn(
  db: Database,
  connection: Transaction,
  { unsafe, runSerially, savepoint, notify }: Statements,
): Database {
  const beginSerially = serialQueue()
  const isInTransaction = new AsyncLocalStorage<true>()
  /**
   * Savepoints of one connection cannot overlap, so transactions run one after the other. A nested one is a savepoint.
   */
  const begin = <T>(steps: Steps<T>): Promise<T> =>
    isInTransaction.getStore()
      ? savepoint(steps)
      : beginSerially(() => isInTransaction.run(true, () => savepoint(steps)))

  /** Sends a statement in a savepoint, so that its failure rolls back only itself. */
  const sendInSavepoint = <T>(send: () => PromiseLike<T>): Promise<T> =>
    runSerially(async () => {
      await unsafe('savepoint statement')
      try {
        const sent = send()
        // Sent without waiting for the statement, which saves a round trip. It fails when the statement fails.
        const released = unsafe('release savepoint statement').then(ignore, ignore)
        const result = await sent
        await released
        return result
      } catch (error) {
        await rollBackTo('statement', unsafe)
        throw error
      }
    })

  const members = {
    begin: <T>(...args: [string, Steps<T>] | [Steps<T>]) => begin(lastOf(args)),
    notify,
    reserve: async () => interceptStatements(connection, sendInSavepoint, { release: ignore }),
  }
  // A transaction lacks what only a pool does, such as `listen` and `end`.
  const sql = interceptStatements(connection, sendInSavepoint, members) as unknown as Sql
  return {
    ...db,
    sql,
    lookups: sql,
    queries: sql,
    replica: undefined,
    isInTransaction: true,
    // The driver's own types for `types` are narrower than what it accepts.
    control: new Kysely<DB>({ dialect: new PostgresJSDialect({ postgres: sql as never }) }),
  }
}

/** Undoes the statements since a savepoint, and removes the savepoint. */
async function rollBackTo(savepoint: string, unsafe: Transaction['unsafe']): Promise<void> {
  await unsafe(`rollback to savepoint ${savepoint}`)
  await unsafe(`release savepoint ${savepoint}`)
}

/** Returns a function that runs each work after the one before it has settled. */
function serialQueue(): <T>(work: () => PromiseLike<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const running = last.then(work)
    last = running.catch(ignore)
    return running
  }
}

/** `begin` and `savepoint` take options or a name before the steps. */
const lastOf = <T>(args: [string, T] | [T]): T => args[args.length - 1] as T // both forms end with the steps

const ignore = () => {}

// Transactions that last as long as the data is large.

/** Limits of the server that are made for requests do not end the transaction. */
export async function allowLongTransaction(tx: Transaction): Promise<void> {
  await tx`set local statement_timeout = 0`
  await tx`set local idle_in_transaction_session_timeout = 0`
}
