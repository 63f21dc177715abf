/** What went wrong with a statement, as the caller gets it. See docs/reference/sql.md (Errors). */

import { ApiError } from '../../errors/api-error'
import { serviceUnavailable } from '../../errors/http'
import { sqlError, sqlTimedOut } from '../../errors/queries'
import { errorCodeOf } from '../../logging/log-error'
import type { RoleStatement } from './statement'

/** Why the service ended a statement itself. */
export type StopReason = 'client' | 'shutdown' | 'time' | 'limits'

interface Failed {
  readonly statement: RoleStatement
  readonly reason: StopReason | undefined
  readonly timeoutMs: number
}

const QUERY_CANCELED = '57014'
/** Wrong password, unknown role, missing right: the role is older than the database, or not there yet. */
const ROLE_REFUSED = new Set(['28P01', '28000', '42501'])
/** The lack of something on the server, or a conflict of a replica; another try may succeed. */
const TRANSIENT = new Set(['40001', '40P01', '53000', '53100', '55P03'])
/** The driver ended the connection. */
const ROW_TOO_LARGE = 'MESSAGE_TOO_LARGE'
/** The table or a column is not there: the data model has changed. */
const CHANGED = new Set(['42P01', '42703', '3F000'])
const RETRY_AFTER_MS = 2000

export const isRoleRefused = (error: unknown): boolean => ROLE_REFUSED.has(errorCodeOf(error) ?? '')

/** Returns the error for the response. A lost connection is the same for all requests, so its error is returned unchanged. */
export function sqlErrorFrom(error: unknown, { statement, reason, timeoutMs }: Failed): unknown {
  if (error instanceof ApiError) return error
  if (reason === 'shutdown' || reason === 'client') return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
  const code = errorCodeOf(error) ?? ''
  if (reason === 'time' || code === QUERY_CANCELED) return sqlTimedOut(timeoutMs / 1000)
  if (code === ROW_TOO_LARGE) return sqlError('a row has more than 8 MB')
  if (!isFromPostgres(error)) return error
  if (TRANSIENT.has(code)) return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
  if (/^(?:08|53|57|58)/.test(code) && !TOO_MUCH.has(code)) return error
  const position = error.position === undefined ? null : statement.toCallerPosition(Number(error.position))
  return sqlError(error.message.slice(0, MAX_MESSAGE_LENGTH), { position, hint: error.hint ?? null })
}

/** PostgreSQL's messages contain values, which may have megabytes. */
const MAX_MESSAGE_LENGTH = 10_000

/** The limit of the server's memory for one process, and that of the role's temporary files. */
const TOO_MUCH = new Set(['53200', '53400'])

/** Whether a statement failed in the part that the service added, because the data model has changed. */
export function hasModelChanged(error: unknown, statement: RoleStatement): boolean {
  if (!isFromPostgres(error) || !CHANGED.has(error.code)) return false
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
