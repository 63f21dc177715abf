/** Runs a statement and reads its rows while they are rendered. */

import { afterJson, resultColumns, type ResultColumns } from '#engine/sql/results/columns'
import {
  columnsAsJson,
  hasModelChanged,
  isFromPostgres,
  isRoleRefused,
  type RoleStatement,
  sqlErrorFrom,
} from './statement'
import type { SqlCaller, SqlConnection, SqlRunner, SqlServer } from './sql-runner'
import { ReplicaFailure, type Sql } from '#db/connect'
import { cancelOnAbort } from '#db/driver/cancel-on-abort'
import { columnsOfResult, type DescribedColumn, type RowFlow, sendForRows } from '#db/driver/row-messages'
import { isCancellation } from '#base/errors/database'
import { ModelVersionConflict } from '#engine/data-model/model'

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
    const toError = (error: unknown) => errorOf(error, statement, { run: connection.run, runner })
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

/** Reads the rows of a statement as they arrive. PostgreSQL waits while the reader has many of them in memory. */
interface RowReader {
  /** Known when the first call of `next` has returned. */
  columns(): readonly DescribedColumn[]
  /** Returns the next rows, none when there are no more. */
  next(): Promise<readonly Buffer[]>
  /** Resolves when the connection can be used again. */
  readonly ended: Promise<void>
}

/** While so many bytes are in memory, the connection is not read. One more packet and the row that it ends may follow. */
const MAX_WAITING_BYTES = 1024 * 1024
/** Fewer are not handed over before the last one has arrived. An error before so many rows is one of the whole result. */
const MIN_ROWS = 200

/** `signal` cancels the statement. */
function readRows(sql: Sql, statement: RoleStatement, signal: AbortSignal): RowReader {
  let [rows, bytes]: [Buffer[], number] = [[], 0]
  let columns: readonly DescribedColumn[] = []
  let paused: RowFlow | undefined
  let outcome: { readonly error?: unknown } | undefined
  let wake: () => void = () => undefined

  const isReady = () => outcome !== undefined || rows.length >= MIN_ROWS || bytes >= MAX_WAITING_BYTES
  const take = () => {
    const taken = rows
    ;[rows, bytes] = [[], 0]
    paused?.resume()
    paused = undefined
    return taken
  }
  const query = sendForRows(sql, statement, (row, described, flow) => {
    if (signal.aborted) return
    columns = described
    rows.push(row)
    bytes += row.length
    if (bytes >= MAX_WAITING_BYTES) {
      paused = flow
      flow.pause()
    }
    if (isReady()) wake()
  })
  const stopListening = cancelOnAbort(query, signal)
  // The rows that PostgreSQL sends until it is cancelled are not kept.
  signal.addEventListener('abort', take)
  const ended = query
    .then(
      (result) => {
        columns = columnsOfResult(result)
        outcome = {}
      },
      (error: unknown) => void (outcome = { error }),
    )
    .then(() => {
      stopListening()
      signal.removeEventListener('abort', take)
      wake()
    })
  return {
    columns: () => columns,
    async next() {
      while (!isReady()) await new Promise<void>((resolve) => (wake = resolve))
      if (outcome !== undefined && 'error' in outcome) throw outcome.error
      return take()
    },
    ended,
  }
}

// Runs a statement on a connection of its workspace, and explains what went wrong.

/** Returns the connection to its pool when `read` has ended. */
export const runRoleStatement = <T>(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  read: (connection: SqlConnection) => Promise<T>,
): Promise<T> =>
  withConnection(caller, runner, statement, async (connection) => {
    const result = await read(connection)
    endRun(connection)
    return result
  })

/** Leaves the connection to `begin`, which ends the run when it succeeds. A statement that fails on the replica runs on the primary. */
async function withConnection<T>(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  begin: Work<T>['begin'],
): Promise<T> {
  const replica = runner.hasReplica ? caller.db?.replica : undefined
  if (replica === undefined || !(await replica.isAllowed())) return runOnPrimary(caller, runner, { statement, begin })
  try {
    return await replica.run(() => runOnce(caller, runner, { statement, begin, server: 'replica' }))
  } catch (error) {
    if (!(error instanceof ReplicaFailure))
      throw sqlErrorFrom(error, { statement, reason: undefined, timeoutMs: runner.timeoutMs })
  }
  return runOnPrimary(caller, runner, { statement, begin })
}

interface Work<T> {
  readonly statement: RoleStatement
  readonly begin: (connection: SqlConnection) => Promise<T>
  /** The primary by default. */
  readonly server?: SqlServer
}

/** A role that PostgreSQL refuses is made again, once: the role of a restored database is that of another one, or is missing. */
async function runOnPrimary<T>(caller: SqlCaller, runner: SqlRunner, work: Work<T>): Promise<T> {
  try {
    return await runOnce(caller, runner, work)
  } catch (error) {
    if (!(error instanceof RoleRefused)) throw error
    runner.forgetRole(caller.model.workspace.id)
  }
  try {
    return await runOnce(caller, runner, work)
  } catch (error) {
    throw error instanceof RoleRefused ? error.error : error
  }
}

/** `error` is the error for the caller, should the role be refused again. */
class RoleRefused extends Error {
  constructor(readonly error: unknown) {
    super('PostgreSQL refused the role of a workspace.')
  }
}

/** On the replica, it throws the error of PostgreSQL, which decides whether the statement runs on the primary. */
async function runOnce<T>(
  caller: SqlCaller,
  runner: SqlRunner,
  { statement, begin, server = 'primary' }: Work<T>,
): Promise<T> {
  let connection: SqlConnection | undefined
  try {
    connection = await runner.connect(caller, server)
    if (connection.run.reason() !== undefined) throw new Error('The statement was stopped before it was sent.')
    return await begin(connection)
  } catch (error) {
    const forCaller = errorOf(error, statement, { run: connection?.run, runner })
    const isStopped = connection?.run.reason() !== undefined
    if (connection !== undefined) endRun(connection, isFromPostgres(error) && !isRoleRefused(error))
    if (server === 'replica' && !isStopped) throw error
    if (hasModelChanged(error, statement)) throw new ModelVersionConflict('A table of the statement has changed.')
    throw isRoleRefused(error) ? new RoleRefused(forCaller) : forCaller
  }
}

interface Ended {
  readonly run: SqlConnection['run'] | undefined
  readonly runner: SqlRunner
}

function errorOf(error: unknown, statement: RoleStatement, { run, runner }: Ended): unknown {
  const reason = run?.reason()
  if (reason === undefined && isCancellation(error)) run?.countTimeout()
  return sqlErrorFrom(error, { statement, reason, timeoutMs: runner.timeoutMs })
}

/** A cancellation may arrive after the end of its statement, so the connection of a stopped run is closed. */
function endRun({ run, release }: SqlConnection, isUsable = true): void {
  run.end()
  release(isUsable && run.reason() === undefined)
}
