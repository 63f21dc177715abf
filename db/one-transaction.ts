/**
 * A database as whoever works inside one transaction sees it: the same interface, where each statement alone and each
 * transaction holds or is undone as it would by itself, but all of it comes to be at the end, or never. Decision 0051.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import type { Database, Sql, Transaction } from './connect'
import { interceptStatements } from './driver/intercept-statements'
import type { DB } from './schema'

type Steps<T> = (tx: Transaction) => Promise<T>

export interface OneTransaction {
  /** For statements of whoever opened it; one that fails ends it all. */
  readonly tx: Transaction
  /** Runs work whose every statement is part of this transaction. When it throws, what it wrote is undone. */
  undoable<T>(work: (db: Database) => Promise<T>): Promise<T>
}

/** Commits what `work` did when it resolves, undoes it when it throws. Takes one connection for as long. */
export async function inOneTransaction<T>(db: Database, work: (one: OneTransaction) => Promise<T>): Promise<T> {
  const done = await db.sql.begin(async (tx) => ({ value: await work(oneTransaction(db, tx)) }))
  return (done as { value: T }).value // the driver widens what its callback gives
}

function oneTransaction(db: Database, connection: Transaction): OneTransaction {
  const { unsafe } = interceptStatements(connection, (send) => send(), {})
  const inTurn = oneAtATime()
  let savepoints = 0

  /** Runs steps that hold or are undone together, whatever becomes of those around them. */
  async function savepoint<T>(steps: Steps<T>): Promise<T> {
    const name = `step_${++savepoints}`
    await inTurn(() => unsafe(`savepoint ${name}`))
    try {
      const result = await steps(tx)
      await inTurn(() => unsafe(`release savepoint ${name}`))
      return result
    } catch (error) {
      await inTurn(() => unsafe(`rollback to savepoint ${name}; release savepoint ${name}`))
      throw error
    }
  }
  const tx = interceptStatements(connection, inTurn, {
    savepoint: <T>(...named: [string, Steps<T>] | [Steps<T>]) => savepoint(lastOf(named)),
  })
  const undoable: OneTransaction['undoable'] = (work) =>
    savepoint(() => work(within(db, connection, { unsafe, inTurn, savepoint })))
  return { tx, undoable }
}

interface Steering {
  readonly unsafe: Transaction['unsafe']
  readonly inTurn: <T>(work: () => PromiseLike<T>) => Promise<T>
  readonly savepoint: <T>(steps: Steps<T>) => Promise<T>
}

/** The view from within. */
function within(db: Database, connection: Transaction, { unsafe, inTurn, savepoint }: Steering): Database {
  const beginInTurn = oneAtATime()
  const isBegun = new AsyncLocalStorage<true>()
  /** One after the other, for savepoints of one connection cannot overlap; but one inside another is a part of it. */
  const begin = <T>(steps: Steps<T>): Promise<T> =>
    isBegun.getStore() ? savepoint(steps) : beginInTurn(() => isBegun.run(true, () => savepoint(steps)))

  /** A statement that fails undoes only itself, as it would outside of a transaction. */
  const alone = <T>(send: () => PromiseLike<T>): Promise<T> =>
    inTurn(async () => {
      await unsafe('savepoint statement')
      try {
        const sent = send()
        // Follows at once, to save a round trip; after a failure it fails as well.
        const released = unsafe('release savepoint statement').then(ignore, ignore)
        const result = await sent
        await released
        return result
      } catch (error) {
        await unsafe('rollback to savepoint statement; release savepoint statement')
        throw error
      }
    })

  const members = {
    begin: <T>(...named: [string, Steps<T>] | [Steps<T>]) => begin(lastOf(named)),
    // A call to others is for now, not for when this is over; nothing depends on its being heard.
    notify: async (channel: string, payload: string) => void db.sql.notify(channel, payload).catch(ignore),
    reserve: async () => interceptStatements(connection, alone, { release: ignore }),
  }
  const sql = interceptStatements(connection, alone, members) as unknown as Sql // without what only a pool of connections does
  return {
    ...db,
    sql,
    lookups: sql,
    queries: sql,
    isOneTransaction: true,
    // The driver's own types for `types` are narrower than what it accepts.
    control: new Kysely<DB>({ dialect: new PostgresJSDialect({ postgres: sql as never }) }),
  }
}

/** Runs each work when the one before it is over, whatever came of that. */
function oneAtATime(): <T>(work: () => PromiseLike<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const running = last.then(work)
    last = running.catch(ignore)
    return running
  }
}

/** The driver takes a name or options before the steps. */
const lastOf = <T>(named: [string, T] | [T]): T => named[named.length - 1] as T // either form ends in it

const ignore = () => {}
