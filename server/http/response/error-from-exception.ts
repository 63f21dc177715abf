/** Makes an API error from an exception, and logs unexpected exceptions. */

import { ApiError } from '../../errors/api-error'
import { bodyCutOff, internalError, serviceUnavailable } from '../../errors/http'
import { queryTimedOut } from '../../errors/queries'
import { errorCodeOf, logError } from '../../logging/log-error'
import { pathOf } from '../request/request-url'

/** The codes of the driver and of PostgreSQL for a database that cannot be reached. */
const UNREACHABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  '53300' /* too many connections */,
  '57P01' /* shutting down */,
  '57P02' /* crashed */,
  '57P03' /* starting */,
])
/** The codes of a storage of files that is full, and the name of all errors of one that cannot be used over the network. */
const STORAGE_FULL = new Set(['ENOSPC', 'EDQUOT'])
const S3_ERROR = 'S3Error'

const STATEMENT_TIMEOUT = '57014'
const RETRY_AFTER_SECONDS = 2

/** Returns the error for the response. Logs an exception that is no API error, with the id of the request. */
export function errorFromException(error: unknown, request: Request, id: string): ApiError {
  if (error instanceof ApiError) return error
  if (isClientGone(error)) return bodyCutOff()
  // The log has neither the body nor the query.
  logError('A request failed.', error, { request_id: id, method: request.method, path: pathOf(request) })
  if (isDatabaseAway(error) || isStorageAway(error))
    return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_SECONDS * 1000))
  if (errorCodeOf(error) === STATEMENT_TIMEOUT) return queryTimedOut()
  return internalError()
}

/** Bun throws this error when a connection is closed while its body is read. */
const isClientGone = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Whether a retry may succeed when the database can be reached again. */
export const isDatabaseAway = (error: unknown): boolean => UNREACHABLE.has(errorCodeOf(error) ?? '')

const isStorageAway = (error: unknown): boolean =>
  STORAGE_FULL.has(errorCodeOf(error) ?? '') || (error instanceof Error && error.name === S3_ERROR)
