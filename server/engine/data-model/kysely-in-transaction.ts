/** The query builder for control tables, on a pool or in a transaction that is already open. */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import type { DB } from '#db/schema'

const builders = new WeakMap<Sql | Transaction, Kysely<DB>>()

/** Returns the same builder for the same pool or transaction. */
export function controlQueriesIn(tx: Sql | Transaction): Kysely<DB> {
  const existing = builders.get(tx)
  if (existing !== undefined) return existing
  const builder = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOn(tx),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  builders.set(tx, builder)
  return builder
}

function driverOn(tx: Sql | Transaction): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql: text, parameters }: CompiledQuery) {
      const rows = await tx.unsafe(text, [...parameters] as never[], { prepare: true }) // Kysely compiled them for PostgreSQL
      return { rows: [...rows] as R[], numAffectedRows: BigInt(rows.count ?? 0) } // rows of the query that Kysely typed
    },
    streamQuery() {
      throw new Error('Streams are read with cursors of the driver.')
    },
  }
  return {
    init: noop,
    acquireConnection: async () => connection,
    beginTransaction: refuseTransaction,
    commitTransaction: refuseTransaction,
    rollbackTransaction: refuseTransaction,
    releaseConnection: noop,
    destroy: noop,
  }
}

async function noop(): Promise<void> {}

async function refuseTransaction(): Promise<void> {
  throw new Error('The transaction begins and ends where it was opened.')
}

/** A parameter for a jsonb column. */
export const jsonb = (value: unknown) => sql<string>`${JSON.stringify(value)}::text::jsonb`
