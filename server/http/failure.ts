/** What a client learns when something was thrown, and what is kept for those who run the service. */

import { ApiError, internalError, queryTimedOut, unavailable } from '../errors'

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
export function failureOf(error: unknown, request: Request, id: string): ApiError {
  if (error instanceof ApiError) return error
  const code = codeOf(error)
  logFailure(error, request, id)
  if (UNREACHABLE.has(code)) return unavailable(new Date(Date.now() + RETRY_AFTER_SECONDS * 1000))
  if (code === STATEMENT_TIMEOUT) return queryTimedOut()
  return internalError()
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** One line of JSON: what went wrong where, without the body or the query of the request. */
function logFailure(error: unknown, request: Request, id: string): void {
  const { pathname } = new URL(request.url)
  const cause =
    error instanceof Error
      ? { error: error.message, code: codeOf(error) || undefined, stack: error.stack }
      : { error: String(error) }
  console.error(
    JSON.stringify({
      level: 'error',
      time: new Date().toISOString(),
      request_id: id,
      method: request.method,
      path: pathname,
      ...cause,
    }),
  )
}
