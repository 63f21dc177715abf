/**
 * What an error of PostgreSQL or of its driver means: the one table from codes to answers. Requests, workers, commands and
 * the start read it. See docs/decisions/database-errors.md.
 */

import { errorCodeOf } from '#base/logging/log-error'
import { ApiError } from './api-error'

export type DatabaseFailure =
  /** Another transaction was in the way. This one was rolled back, so it may be retried at once. A request answers 503. */
  | 'conflict'
  /** The database cannot do it now. A later retry may succeed, and a write may have been committed. A request answers 503. */
  | 'unavailable'
  /** The statement was cancelled, by its time limit or by its caller. A query answers 400. */
  | 'cancelled'
  /** A table, column or function is missing. A retry helps only if the data model has changed since. A request answers 500. */
  | 'undefined'
  /** PostgreSQL refuses the data, and does so at each retry. A caller that knows the constraint refuses it; otherwise 500. */
  | 'data'
  /** The statement or the server is at fault, and a retry fails in the same way. A request answers 500. */
  | 'fault'

/**
 * The SQLSTATEs of PostgreSQL's appendix that are no `fault`: a whole class by its two characters, or one code, which comes before
 * its class.
 */
const BY_SQLSTATE: Readonly<Record<string, DatabaseFailure>> = {
  22: 'data',
  23: 'data',
  54: 'data', // larger or more complex than PostgreSQL's limits
  '08': 'unavailable', // the connection, also that of a coordinator to a node of its cluster
  '28': 'unavailable', // the password was changed, or pg_hba.conf
  '3D': 'unavailable', // the database was dropped or renamed
  '40': 'conflict',
  40003: 'unavailable', // it is unknown whether the statement was committed
  '53': 'unavailable', // disk full, out of memory, too many connections
  '57': 'unavailable', // shutting down, crashed, starting
  57014: 'cancelled',
  '58': 'unavailable', // an error of the disk or the operating system below PostgreSQL
  '72': 'conflict', // snapshot too old
  25006: 'unavailable', // the server is read-only, such as a primary after a failover
  '25P03': 'unavailable', // a time limit of the operator ended the connection
  '25P04': 'unavailable',
  '55P03': 'conflict', // a lock was not available in time
  '3F000': 'undefined',
  '42P01': 'undefined',
  42703: 'undefined',
  42704: 'undefined',
  42883: 'undefined',
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/** The codes of the driver and of the operating system for a server that cannot be reached. */
const UNREACHABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** Returns undefined for an error that is neither PostgreSQL's nor the driver's. */
export function databaseFailureOf(error: unknown): DatabaseFailure | undefined {
  const code = errorCodeOf(error)
  if (code === undefined) return undefined
  if (UNREACHABLE.has(code) || (code === 'ENOENT' && isConnecting(error))) return 'unavailable'
  if (!isSqlState(error, code)) return undefined
  return BY_SQLSTATE[code] ?? BY_SQLSTATE[code.slice(0, 2)] ?? 'fault'
}

/** The socket of a server on this machine is missing. A missing file has the same code. */
const isConnecting = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'connect'

/** Codes of the operating system, such as EPERM, have no digit. */
const isSqlState = (error: unknown, code: string): boolean =>
  SQLSTATE.test(code) && (/\d/.test(code) || (error instanceof Error && error.name === 'PostgresError'))

const isDatabaseUnavailable = (error: unknown): boolean => databaseFailureOf(error) === 'unavailable'

/**
 * Whether a later retry may succeed, which then repeats what may have been committed. The 503 of a write that met conflicts in all of
 * its tries is such an error, too.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError ? error.status === 503 : isDatabaseUnavailable(error) || isTransactionConflict(error)

/** Whether another transaction was in the way. The transaction of the statement was rolled back. */
export const isTransactionConflict = (error: unknown): boolean => databaseFailureOf(error) === 'conflict'

export const isCancellation = (error: unknown): boolean => databaseFailureOf(error) === 'cancelled'

/** Whether the statement names a table, column or function that does not exist. */
export const namesUndefinedObject = (error: unknown): boolean => databaseFailureOf(error) === 'undefined'

/** Whether PostgreSQL refuses the data of a statement. */
export const isDataRefused = (error: unknown): boolean => databaseFailureOf(error) === 'data'

/**
 * Whether a statement may have been committed although it failed with this error. Then only the caller may send it again. All
 * codes of the driver mean that the outcome is unknown.
 */
export function mayHaveCommitted(error: unknown): boolean {
  const code = errorCodeOf(error)
  if (code === undefined || code !== code.toUpperCase()) return false // codes of API errors are lower case
  return !isSqlState(error, code) || isDatabaseUnavailable(error)
}

/** Whether a statement named a table that does not exist, such as one that was dropped after its name was read. */
export const isUndefinedTable = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === '42P01'
