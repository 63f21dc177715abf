/** Runs a statement for a response of JSON, which holds all of its rows. */

import { afterJson, type DescribedColumn, resultColumns } from '../results/columns'
import { type JsonRows, readRows } from './read-rows'
import { runStatement } from './run-statement'
import type { SqlCaller, SqlConnection, SqlRunner } from './sql-runner'
import { columnsAsJson, explain, limitRows, type RoleStatement } from './statement'

/** The rows of a JSON response, of which clients need all in memory. */
const MAX_ROWS = 10_000
const MAX_CHARACTERS = 50_000_000
const LIMITS = { rows: MAX_ROWS, characters: MAX_CHARACTERS }

export type ExplainOptions = 'format json' | 'analyze, format json'

/** Returns the rows, at most so many as the limits allow. */
export async function queryRows(caller: SqlCaller, runner: SqlRunner, statement: RoleStatement): Promise<JsonRows> {
  const limited = limitRows(statement, MAX_ROWS + 1)
  let described: readonly DescribedColumn[] = []
  const found = await runStatement(caller, runner, limited, (connection) => {
    const describe = (columns: readonly DescribedColumn[]) => resultColumns(connection.types, (described = columns))
    return readLimited(connection, limited, describe, (columns) => !columns.hasAnonymous)
  })
  return found.columns.hasAnonymous ? queryAsJson(caller, runner, { statement: limited, described }) : found
}

interface Described {
  readonly statement: RoleStatement
  readonly described: readonly DescribedColumn[]
}

/** Runs a statement again whose records have no names for their fields, and has PostgreSQL make JSON of them. */
function queryAsJson(caller: SqlCaller, runner: SqlRunner, { statement, described }: Described): Promise<JsonRows> {
  const asJson = columnsAsJson(statement, described)
  return runStatement(caller, runner, asJson, (connection) =>
    readLimited(connection, asJson, () => resultColumns(connection.types, afterJson(described), described)),
  )
}

/** Returns the plan as one row with one column, as PostgreSQL does. */
export function explainAsRows(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  options: ExplainOptions,
): Promise<JsonRows> {
  const explained = explain(statement, options)
  return runStatement(caller, runner, explained, (connection) =>
    readLimited(connection, explained, (columns) => resultColumns(connection.types, columns)),
  )
}

const readLimited = (
  connection: SqlConnection,
  statement: RoleStatement,
  describe: Parameters<typeof readRows>[2]['describe'],
  accepts: Parameters<typeof readRows>[2]['accepts'] = () => true,
) => readRows(connection, statement, { limits: LIMITS, describe, accepts }, connection.run.stop)
