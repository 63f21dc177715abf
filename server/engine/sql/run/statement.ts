/** The statements that are sent for a text: as it is, limited to some rows, with records as JSON, and its plan. */

import type { DescribedColumn } from '#db/driver/row-messages'
import { isAnonymousRecord } from '#engine/sql/results/renderers'
import { renderArray } from '#db/connect'
import { ApiError } from '#base/errors/api-error'
import { isCancellation, isTransactionConflict, isTransient, namesUndefinedObject } from '#base/errors/database'
import { serviceUnavailable } from '#base/errors/http'
import { sqlError, sqlTimedOut } from '#base/errors/queries'
import { errorCodeOf } from '#base/logging/log-error'

export interface RoleStatement {
  readonly text: string
  /** PostgreSQL's texts of the parameters. */
  readonly parameters: readonly (string | null)[]
  /** As in `CompiledSql`. */
  readonly timestamps?: readonly number[] | undefined
  /** Returns the position in the caller's text, both in characters from 1. Null for a position in the service's own part. */
  toCallerPosition(position: number): number | null
}

/** Puts text before and after a statement. Line breaks end a comment at its end. */
function wrap(statement: RoleStatement, before: string, after: string): RoleStatement {
  const { text } = statement
  return {
    ...statement,
    text: `${before}\n${text}\n${after}`,
    toCallerPosition(position) {
      const inner = position - before.length - 1
      return inner < 1 || inner > text.length ? null : statement.toCallerPosition(inner)
    },
  }
}

/** PostgreSQL may use parallel workers for a limit in the statement, and not for one of a cursor. */
export const limitRows = (statement: RoleStatement, rows: number): RoleStatement =>
  wrap(statement, 'select * from (', `) t limit ${rows}`)

/** Has PostgreSQL make JSON of the records without names for their fields. */
export function columnsAsJson(statement: RoleStatement, columns: readonly DescribedColumn[]): RoleStatement {
  const names = columns.map((_, index) => `c${index}`)
  const list = columns.map(({ type }, index) => (isAnonymousRecord(type) ? `to_json(c${index})` : `c${index}`))
  return wrap(statement, `select ${list.join(', ')} from (`, `) t (${names.join(', ')})`)
}

export const explain = (statement: RoleStatement, options: string): RoleStatement =>
  wrap(statement, `explain (${options})`, '')

// The text of parameters, from which PostgreSQL makes a value of the type that the statement needs.

/** Arrays become arrays of PostgreSQL, and objects become JSON. */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) {
    const items = value.map(parameterText)
    const isNested = value.length > 0 && value.every((item) => Array.isArray(item))
    return isNested ? `{${items.join(',')}}` : renderArray(items)
  }
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

// What went wrong with a statement, as the caller gets it. See docs/reference/sql.md (Errors).

/** Why the service ended a statement itself. */
export type StopReason = 'client' | 'shutdown' | 'time' | 'limits'

interface Failed {
  readonly statement: RoleStatement
  readonly reason: StopReason | undefined
  readonly timeoutMs: number
}

/** Wrong password, unknown role, missing right: the role is older than the database, or not there yet. */
const ROLE_REFUSED = new Set(['28P01', '28000', '42501'])
/** The driver ended the connection. */
const ROW_TOO_LARGE = 'MESSAGE_TOO_LARGE'
const RETRY_AFTER_MS = 2000

export const isRoleRefused = (error: unknown): boolean => ROLE_REFUSED.has(errorCodeOf(error) ?? '')

/** Returns the error for the response. What keeps the database from all requests is returned unchanged, so that it is logged. */
export function sqlErrorFrom(error: unknown, { statement, reason, timeoutMs }: Failed): unknown {
  if (error instanceof ApiError) return error
  if (reason === 'shutdown' || reason === 'client') return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
  const code = errorCodeOf(error) ?? ''
  if (reason === 'time' || isCancellation(error)) return sqlTimedOut(timeoutMs / 1000)
  if (code === ROW_TOO_LARGE) return sqlError('a row has more than 8 MB')
  if (!isFromPostgres(error)) return error
  // A conflict with the recovery of a replica. The statement may take long, so the service does not repeat it.
  if (isTransactionConflict(error)) return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
  if (isTransient(error) && !READ_ONLY_OR_TOO_MUCH.has(code)) return error
  const position = error.position === undefined ? null : statement.toCallerPosition(Number(error.position))
  return sqlError(error.message.slice(0, MAX_MESSAGE_LENGTH), { position, hint: error.hint ?? null })
}

/** PostgreSQL's messages contain values, which may have megabytes. */
const MAX_MESSAGE_LENGTH = 10_000

/**
 * Here, the fault of the statement: it writes in a transaction that may only read, or it needs more than the server's memory for one
 * process or than the role's temporary files.
 */
const READ_ONLY_OR_TOO_MUCH = new Set(['25006', '53200', '53400'])

/** Whether a statement failed in the part that the service added, because the data model has changed. */
export function hasModelChanged(error: unknown, statement: RoleStatement): boolean {
  if (!isFromPostgres(error) || !namesUndefinedObject(error)) return false
  // PostgreSQL gives no position for a column that is not there in USING, which only the caller's part has.
  return error.position !== undefined && statement.toCallerPosition(Number(error.position)) === null
}

interface PostgresError extends Error {
  readonly code: string
  readonly position?: string
  readonly hint?: string
}

export const isFromPostgres = (error: unknown): error is PostgresError =>
  error instanceof Error && error.name === 'PostgresError' && 'code' in error
