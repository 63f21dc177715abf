/** Makes the response for an error that no route caught. Without it, Bun responds with a body of its own. */

import { internalError } from '#base/errors/http'
import { logError } from '#base/logging/log-error'
import { envelopeOf, newRequestId } from './answer'
import { executionIdHeader, JSON_HEADERS, PRIVATE_HEADERS } from './headers'

export const runtimeError =
  (brand: string) =>
  (error: unknown): Response => {
    const id = newRequestId()
    logError('A request failed outside of its route.', error, { request_id: id })
    const headers = { ...PRIVATE_HEADERS, ...JSON_HEADERS, [executionIdHeader(brand)]: id, 'X-Request-Id': id }
    return Response.json(envelopeOf(internalError()), { status: 500, headers })
  }
