/** Runs a statement and reads its rows while they are rendered. */

import { afterJson, resultColumns, type ResultColumns } from '#engine/sql/results/columns'
import { readRows } from './read-rows'
import { sqlErrorFrom } from './run-errors'
import { endRun, withConnection } from './run-statement'
import type { SqlCaller, SqlConnection, SqlRunner } from './sql-runner'
import { columnsAsJson, type RoleStatement } from './statement'

/** A running statement. Its connection returns to the pool after the last row, and when the run is stopped, even if nobody reads. */
export interface OpenRows {
  readonly columns: ResultColumns
  /** Returns the next rows, none after the last one. */
  next(): Promise<readonly Buffer[]>
  /** Ends a statement whose rows are no longer wanted. */
  close(): Promise<void>
}

/** Reads the first rows before it returns, so that the usual errors are thrown before a response begins. */
export async function openRows(caller: SqlCaller, runner: SqlRunner, statement: RoleStatement): Promise<OpenRows> {
  const rows = await open(caller, runner, statement)
  if (!rows.columns.hasAnonymous) return rows
  await rows.close()
  return open(caller, runner, columnsAsJson(statement, rows.described), rows.described)
}

interface Described extends OpenRows {
  readonly described: ReturnType<ReturnType<typeof readRows>['columns']>
}

/** `shown` are the columns of the statement without JSON. */
const open = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  shown?: Described['described'],
): Promise<Described> =>
  withConnection(caller, runner, statement, async (connection) => {
    const reader = readRows(connection.sql, statement, connection.run.stop.signal)
    const first = await reader.next()
    const described = reader.columns()
    const columns = resultColumns(connection.types, {
      described: shown === undefined ? described : afterJson(shown),
      shown: shown ?? described,
      timestamps: statement.timestamps,
    })
    const toError = (error: unknown) =>
      sqlErrorFrom(error, { statement, reason: connection.run.reason(), timeoutMs: runner.timeoutMs })
    return { columns, described, ...takeRows(connection, reader, { first, toError }) }
  })

interface TakeOptions {
  readonly first: readonly Buffer[]
  readonly toError: (error: unknown) => unknown
}

function takeRows(
  connection: SqlConnection,
  reader: ReturnType<typeof readRows>,
  { first, toError }: TakeOptions,
): Pick<OpenRows, 'next' | 'close'> {
  const { run } = connection
  let pending: readonly Buffer[] | undefined = first
  let finishing: Promise<void> | undefined
  const finish = () => (finishing ??= reader.ended.then(() => endRun(connection)))
  run.stop.signal.addEventListener('abort', () => void finish())

  async function next(): Promise<readonly Buffer[]> {
    const rows = pending ?? (await reader.next())
    pending = undefined
    if (run.reason() !== undefined) throw new Error('The statement was stopped.')
    if (rows.length === 0) await finish()
    return rows
  }

  return {
    async next() {
      try {
        return await next()
      } catch (error) {
        await finish()
        throw toError(error)
      }
    },
    async close() {
      run.stop.abort()
      await finish()
    },
  }
}
