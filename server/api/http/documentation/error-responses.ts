/**
 * The error responses of the OpenAPI document, each with an example from the catalogue.
 * See docs/reference/errors-and-limits.md (The error body).
 */

import { scopesRequired, unknownToken } from '#base/errors/access'
import type { ApiError } from '#base/errors/api-error'
import {
  bodyTooLarge,
  idempotencyConflict,
  internalError,
  invalidBody,
  rateLimited,
  unsupportedMediaType,
} from '#base/errors/http'
import { recordNotFound, versionConflict } from '#base/errors/records'
import { envelopeOf } from '#api/http/response/answer'

export const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    status_code: { type: 'integer' },
    type: { type: 'string', enum: ['invalid_request_error', 'auth_error', 'rate_limit_error', 'api_error'] },
    code: { type: 'string' },
    message: { type: 'string' },
    validation_errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          code: { type: 'string' },
          path: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
          message: { type: 'string' },
        },
        required: ['code', 'path', 'message'],
      },
    },
  },
  required: ['status_code', 'type', 'code', 'message'],
}

/** Each description, with an error that has this status. */
const ERRORS: readonly (readonly [description: string, example: ApiError])[] = [
  [
    'Something sent is not valid',
    invalidBody([
      {
        code: 'invalid_type',
        path: ['data', 'values'],
        message: 'Required',
        expected: 'object',
        received: 'undefined',
      },
    ]),
  ],
  ['The token is missing, malformed or unknown', unknownToken()],
  ['The token lacks a scope', scopesRequired(['record_permission:read-write'])],
  ['Something named in the path does not exist', recordNotFound('11111111-1111-4111-8111-111111111111')],
  [
    'The request conflicts with what is stored, or with the first request of its idempotency key',
    idempotencyConflict(),
  ],
  ['`If-Match` names another version', versionConflict()],
  ['The body is too large', bodyTooLarge(25_000_000)],
  ['The content type of the body is not supported', unsupportedMediaType('multipart/form-data')],
  [
    'The caller has asked too much; `Retry-After` names the time of the next request',
    rateLimited(new Date(Date.UTC(2026, 0, 1))),
  ],
  ['Something went wrong inside the service', internalError()],
]

/** The name of the component of a status, such as `error_404`. */
const nameOf = (status: number): string => `error_${status}`

/** The `components.responses` of the document. */
export const ERROR_RESPONSES: Readonly<Record<string, object>> = Object.fromEntries(
  ERRORS.map(([description, error]) => [
    nameOf(error.status),
    {
      description,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/error' }, example: envelopeOf(error) },
      },
    },
  ]),
)

/** What decides which errors an operation can answer. */
export interface ErrorCauses {
  readonly needsToken: boolean
  readonly writes: boolean
  readonly hasBody: boolean
  readonly usesIfMatch: boolean
}

/** The error responses of one operation, as references to the components. */
export function errorResponses({ needsToken, writes, hasBody, usesIfMatch }: ErrorCauses): Record<string, object> {
  const statuses = [
    400,
    ...(needsToken ? [401, 403] : []),
    404,
    ...(writes ? [409] : []),
    ...(usesIfMatch ? [412] : []),
    ...(hasBody ? [413, 415] : []),
    429,
    500,
  ]
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]))
}
