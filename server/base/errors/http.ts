/** Errors that any request can meet: its body, headers and URL, limits, and failures of the service. */

import { isUuid } from '#vocabulary/uuids'
import { sizeInWords } from '#base/text/csv-line'
import {
  ApiError,
  type ValidationIssue,
  firstOf,
  quoted,
  requestError,
  suggestion,
  wholeSeconds,
  withFirstIssue,
} from './api-error'

const BODY_MESSAGE = 'Body payload validation error.'
const QUERY_MESSAGE = 'Query parameter validation error.'

export const invalidBody = (issues: ValidationIssue[]) =>
  requestError(400, 'validation_type', withFirstIssue(BODY_MESSAGE, issues), {
    ...firstOf(issues),
    ...suggestion(issues[0]?.did_you_mean),
  })

export const invalidQuery = (issues: ValidationIssue[]) =>
  requestError(400, 'validation_type', withFirstIssue(QUERY_MESSAGE, issues), firstOf(issues))

/** Also for a request with several Host headers. RFC 9112, 3.2. */
export const invalidHost = () => requestError(400, 'validation_type', 'The Host header does not name one valid host.')

/** Few clients read this response: the client closed the connection, or sent invalid HTTP. */
export const bodyCutOff = () =>
  requestError(400, 'validation_type', 'The connection was closed before the whole body had arrived.')

/** For a rule that no schema can state. */
export const invalidRequest = (message: string) => requestError(400, 'validation_type', message)

/** The id of a path or query as it is stored, in lower case. `kind` names what it is the id of. Throws 400 when it is not a UUID. */
export function readId(kind: string, text: string): string {
  if (!isUuid(text)) throw invalidRequest(`${kind} ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}

export const emptyPayload = () =>
  requestError(400, 'validation_type', 'Cannot update with an empty payload. Provide at least one member to change.')

export const missingParameter = (name: string) =>
  requestError(400, 'missing_value', `Required parameter ${quoted(name)} was not provided.`)

export const invalidIdempotencyKey = () =>
  requestError(400, 'validation_type', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')

export const routeNotFound = (method: string, path: string) =>
  requestError(404, 'not_found', `Could not find endpoint "${method} ${path}".`)

export const idempotencyConflict = () =>
  requestError(
    409,
    'idempotency_conflict',
    'This idempotency key was used with another request in the last 24 hours; use a new key for a new request.',
  )

/** The first request with this key still runs. `retryAfter` is sent as in `rateLimited`. */
export const idempotencyRunning = (retryAfter: Date) =>
  new ApiError(
    409,
    'invalid_request_error',
    'idempotency_conflict',
    'A request with this idempotency key is still running; try again when it is done.',
    {},
    { 'Retry-After': wholeSeconds(retryAfter) },
  )

export const answerErased = () =>
  requestError(
    409,
    'idempotency_conflict',
    'The request with this idempotency key was done. Its answer was erased, because a record in it was deleted for good.',
  )

export const bodyTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `The body is larger than the ${sizeInWords(limit)} allowed.`)

export const urlTooLong = () => requestError(414, 'validation_type', 'The URL is longer than the 16 KiB allowed.')

export const unsupportedMediaType = (type: string) =>
  requestError(415, 'validation_type', `Content type ${quoted(type)} is not supported; send application/json.`)

/**
 * `Retry-After` is an HTTP date, not a number of seconds, because clients parse a date.
 * See docs/reference/errors-and-limits.md (Rate limits).
 */
export const rateLimited = (retryAfter: Date, message = 'Rate limit exceeded, please try again later.') =>
  new ApiError(429, 'rate_limit_error', 'rate_limit_exceeded', message, {}, { 'Retry-After': wholeSeconds(retryAfter) })

const STREAMS_RETRY_MS = 10_000

export const tooManyStreams = (whose: 'caller' | 'workspace', limit: number) =>
  rateLimited(
    new Date(Date.now() + STREAMS_RETRY_MS),
    `This ${whose} has ${limit} open event streams, and may have no more; close one of them.`,
  )

export const internalError = () =>
  new ApiError(
    500,
    'api_error',
    'internal_error',
    'Something went wrong on our side. The request id is in the headers.',
  )

const unavailable = (message: string, retryAfter: Date) =>
  new ApiError(503, 'api_error', 'unavailable', message, {}, { 'Retry-After': retryAfter.toUTCString() })

export const serviceUnavailable = (retryAfter: Date) =>
  unavailable('The service is not available right now, please try again later.', retryAfter)

const MOVE_RETRY_MS = 10_000

/** The workspace moves to another service, which takes as long as a copy of it. */
export const workspaceIsMoving = () =>
  unavailable(
    'This workspace is moving to another service, and can only be read until it is there. Please try again later.',
    new Date(Date.now() + MOVE_RETRY_MS),
  )

/** The workspace is at another service now. Its API keys are the same there. */
export const workspaceMoved = (address: string) =>
  requestError(410, 'workspace_moved', `This workspace has moved to ${address}. Send requests there.`, {
    moved_to: address,
  })

/** Clients that were refused together come back spread over some seconds. */
const OVERLOAD_RETRY_MS = [1000, 3000] as const

/** More requests arrive than the process can answer soon. The request has had no effect. */
export function serviceOverloaded(): ApiError {
  const [least, most] = OVERLOAD_RETRY_MS
  const retryAfter = new Date(Date.now() + least + Math.random() * (most - least))
  return unavailable('The service has too many requests right now, please try again in a few seconds.', retryAfter)
}

/** Of `/readyz`. The reason is a sentence for the operator. */
export const notReady = (reason: string, retryAfter: Date) => unavailable(reason, retryAfter)
