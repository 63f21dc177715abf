/** The query builder for control tables, on a pool or in a transaction that is already open. */

import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Expression,
  type ExpressionBuilder,
  type JoinBuilder,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type OperandValueExpression,
  type RawBuilder,
  type SqlBool,
  sql,
  type StringReference,
} from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
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

/** Reads the rows of a statement in batches. They have the types that the statement was built with. */
export const readInBatches = <Row extends object>(
  on: Sql | Transaction,
  query: Compilable<Row>,
  size: number,
): AsyncIterable<Row[]> => {
  const { sql: text, parameters } = query.compile()
  return on.unsafe<Row[]>(text, [...parameters] as never[]).cursor(size) // Kysely compiled them for PostgreSQL
}

/** The builder of a statement whose tables have the columns with values of their types; never for other columns. */
type BuilderWith<Columns, DB, TB extends keyof DB> = Columns extends {
  readonly [C in keyof Columns]: C extends StringReference<DB, TB> ? OperandValueExpression<DB, TB, C> : never
}
  ? ExpressionBuilder<DB, TB>
  : never

/** The condition that columns have these values. */
export const equal =
  <Columns extends object>(columns: Columns) =>
  <DB, TB extends keyof DB>(builder: BuilderWith<Columns, DB, TB>): Expression<SqlBool> => {
    // `BuilderWith` has checked the names and the values.
    const expression = builder as unknown as ExpressionBuilder<Record<string, Record<string, unknown>>, string>
    return expression.and(Object.entries(columns).map(([column, value]) => expression(column, '=', value)))
  }

/** The builder of a join between tables that have the columns on both sides; never for other columns. */
type JoinOn<Columns, DB, TB extends keyof DB> = Columns extends {
  readonly [C in keyof Columns]: C extends StringReference<DB, TB> ? StringReference<DB, TB> : never
}
  ? JoinBuilder<DB, TB>
  : never

/** The condition of a join that each column is equal to the one that it maps to. */
export const onEqual =
  <const Columns extends Readonly<Record<string, string>>>(columns: Columns) =>
  <DB, TB extends keyof DB>(join: JoinOn<Columns, DB, TB>): JoinBuilder<DB, TB> => {
    // `JoinOn` has checked the names.
    const builder = join as unknown as JoinBuilder<Record<string, Record<string, unknown>>, string>
    const joined = Object.entries(columns).reduce((on, [column, other]) => on.onRef(column, '=', other), builder)
    return joined as unknown as JoinBuilder<DB, TB>
  }

/** Whether a statement finds a row. */
export const hasRow = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined

/** Runs a statement without preparing it, for texts that depend on requests: PostgreSQL would keep a prepared statement for each. */
export async function runUnprepared<Row>(connection: Sql, statement: RawBuilder<unknown>): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(controlQueriesIn(connection))
  const rows = await connection.unsafe(text, [...parameters] as never[]) // Kysely compiled them for PostgreSQL
  return [...rows] as unknown as Row[] // the columns of the statement
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

/** For a comparison with any of the values. One parameter has all of them, so the text of the statement is the same for any number. */
export const anyOf = (values: readonly string[], type: 'uuid' | 'text' = 'uuid') =>
  sql<string>`any(${renderArray(values)}::${sql.raw(type)}[])`

/** Notifies the listeners of a channel when the transaction commits. */
export async function notify(on: Sql | Transaction, channel: string, payload = ''): Promise<void> {
  await controlQueriesIn(on)
    .selectNoFrom(({ fn, val }) => fn('pg_notify', [val(channel), val(payload)]).as('notified'))
    .execute()
}

/** Waits for the advisory lock of a name and holds it until the transaction ends. */
export async function lockName(tx: Transaction, name: string, seed = 0): Promise<void> {
  await controlQueriesIn(tx)
    .selectNoFrom(({ fn, val }) =>
      fn('pg_advisory_xact_lock', [fn('hashtextextended', [val(name), sql.lit(seed)])]).as('locked'),
    )
    .execute()
}

// Deleted workspaces are not in `relata.workspaces`, a view of `relata.all_workspaces`. A statement that finds a workspace by another
// key, such as a token or what is due, adds this condition. See docs/decisions/workspace-deletion.md.

/** Whether the workspace of a row is not deleted. `column` has the workspace's id. */
export const ofLiveWorkspace = (column: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from relata.workspaces live where live.id = ${sql.ref(column)})`

/** The same, for work that writes: it also waits while the workspace moves to another service. */
export const ofWritableWorkspace = (column: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from relata.workspaces live where live.id = ${sql.ref(column)} and live.moved_to is null)`
