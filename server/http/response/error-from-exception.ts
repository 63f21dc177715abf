/** What a client learns when something was thrown, and what is kept for those who run the service. */

import { ApiError } from '../../errors/api-error'
import { bodyCutOff, internalError, serviceUnavailable } from '../../errors/http'
import { queryTimedOut } from '../../errors/queries'
import { errorCodeOf, logError } from '../../logging/log-error'
import { pathOf } from '../request/request-url'

/** The driver's and PostgreSQL's codes for "there is no database to speak to just now". */
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
const STATEMENT_TIMEOUT = '57014'
const RETRY_AFTER_SECONDS = 2

/** The error to answer with. What is not of the catalogue is logged with the request's id, and told nobody else. */
export function errorFromException(error: unknown, request: Request, id: string): ApiError {
  if (error instanceof ApiError) return error
  if (isClientGone(error)) return bodyCutOff()
  // Without the body or the query.
  logError('A request failed.', error, { request_id: id, method: request.method, path: pathOf(request) })
  if (isDatabaseAway(error)) return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_SECONDS * 1000))
  if (errorCodeOf(error) === STATEMENT_TIMEOUT) return queryTimedOut()
  return internalError()
}

/** What the runtime throws where a body is read whose connection was closed; no caller of ours aborts anything else. */
const isClientGone = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Whether it may work again as soon as the database is back. */
export const isDatabaseAway = (error: unknown): boolean => UNREACHABLE.has(errorCodeOf(error) ?? '')
