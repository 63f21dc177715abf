/** Makes an API error from an exception, and logs unexpected exceptions. */

import { ApiError } from '#base/errors/api-error'
import { isCancellation, isTransient } from '#base/errors/database'
import { bodyCutOff, internalError, serviceUnavailable } from '#base/errors/http'
import { queryTimedOut } from '#base/errors/queries'
import { errorCodeOf, logError } from '#base/logging/log-error'
import { pathOf } from '#api/http/request/request-url'
import { envelopeOf, newRequestId } from './answer'
import { executionIdHeader, JSON_HEADERS, PRIVATE_HEADERS } from './headers'

/** The codes of a storage of files that is full, and the name of all errors of one that cannot be used over the network. */
const STORAGE_FULL = new Set(['ENOSPC', 'EDQUOT'])
const S3_ERROR = 'S3Error'

const RETRY_AFTER_SECONDS = 2

/** Returns the error for the response. Logs an exception that is no API error, with the id of the request. */
export function errorFromException(error: unknown, request: Request, id: string): ApiError {
  if (error instanceof ApiError) return error
  if (isClientGone(error)) return bodyCutOff()
  // The log has neither the body nor the query.
  logError('A request failed.', error, { request_id: id, method: request.method, path: pathOf(request) })
  if (isTransient(error) || isStorageAway(error))
    return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_SECONDS * 1000))
  return isCancellation(error) ? queryTimedOut() : internalError()
}

/** Bun throws this error when a connection is closed while its body is read. */
const isClientGone = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

const isStorageAway = (error: unknown): boolean =>
  STORAGE_FULL.has(errorCodeOf(error) ?? '') || (error instanceof Error && error.name === S3_ERROR)

/** Makes the response for an error that no route caught. Without it, Bun responds with a body of its own. */
export const runtimeError =
  (brand: string) =>
  (error: unknown): Response => {
    const id = newRequestId()
    logError('A request failed outside of its route.', error, { request_id: id })
    const headers = { ...PRIVATE_HEADERS, ...JSON_HEADERS, [executionIdHeader(brand)]: id, 'X-Request-Id': id }
    return Response.json(envelopeOf(internalError()), { status: 500, headers })
  }
