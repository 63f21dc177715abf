/** Runs a statement on a connection of its workspace, and explains what went wrong. */

import { ModelVersionConflict } from '#engine/data-model/model'
import { isFromPostgres, hasModelChanged, isRoleRefused, sqlErrorFrom } from './run-errors'
import type { SqlCaller, SqlConnection, SqlRunner } from './sql-runner'
import type { RoleStatement } from './statement'

/** Returns the connection to its pool when `read` has ended. */
export const runStatement = <T>(
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

/**
 * Leaves the connection to `begin`, which ends the run when it succeeds. A role that PostgreSQL refuses is made again, once: the
 * role of a restored database is that of another one, or is missing.
 */
export async function withConnection<T>(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  begin: (connection: SqlConnection) => Promise<T>,
): Promise<T> {
  try {
    return await runOnce(caller, runner, statement, begin)
  } catch (error) {
    if (!(error instanceof RoleRefused)) throw error
    runner.forgetRole(caller.model.workspace.id)
  }
  try {
    return await runOnce(caller, runner, statement, begin)
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

async function runOnce<T>(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  begin: (connection: SqlConnection) => Promise<T>,
): Promise<T> {
  let connection: SqlConnection | undefined
  try {
    connection = await runner.connect(caller)
    if (connection.run.reason() !== undefined) throw new Error('The statement was stopped before it was sent.')
    return await begin(connection)
  } catch (error) {
    const reason = connection?.run.reason()
    if (connection !== undefined) endRun(connection, isFromPostgres(error) && !isRoleRefused(error))
    if (hasModelChanged(error, statement)) throw new ModelVersionConflict('A table of the statement has changed.')
    const forCaller = sqlErrorFrom(error, { statement, reason, timeoutMs: runner.timeoutMs })
    throw isRoleRefused(error) ? new RoleRefused(forCaller) : forCaller
  }
}

/** A cancellation may arrive after the end of its statement, so the connection of a stopped run is closed. */
export function endRun({ run, release }: SqlConnection, isUsable = true): void {
  run.end()
  release(isUsable && run.reason() === undefined)
}
