/** Kysely over the control tables within a transaction of the driver. */

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
import type { Transaction } from '../../db/connect'
import type { DB } from '../../db/schema'

/** Queries built with it run in `tx`, which begins and ends elsewhere. */
export const controlIn = (tx: Transaction): Kysely<DB> =>
  new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOn(tx),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

function driverOn(tx: Transaction): Driver {
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
    beginTransaction: alreadyBegun,
    commitTransaction: alreadyBegun,
    rollbackTransaction: alreadyBegun,
    releaseConnection: noop,
    destroy: noop,
  }
}

async function noop(): Promise<void> {}

async function alreadyBegun(): Promise<void> {
  throw new Error('The transaction begins and ends where it was opened.')
}

/** As a parameter for a jsonb column. */
export const jsonb = (value: unknown) => sql<string>`${JSON.stringify(value)}::text::jsonb`
