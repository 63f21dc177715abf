import type { Sql } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Condition } from './compile'

/** Runs a statement without preparing it, because PostgreSQL would keep a prepared statement for every filter. */
export async function runUnprepared<Row>(connection: Sql, statement: Condition): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(controlQueriesIn(connection))
  const rows = await connection.unsafe(text, [...parameters] as never[]) // Kysely compiled them for PostgreSQL
  return [...rows] as unknown as Row[] // the columns of the statement
}
