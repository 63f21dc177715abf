import { ApiError } from '#base/errors/api-error'
import { envelopeOf, JsonText } from './answer'

/** Makes the response of a batch. A result is JSON text of its data, or an error. */
export function batchAnswer(results: readonly (string | ApiError)[]): JsonText {
  const failed = results.filter((result) => result instanceof ApiError).length
  const pieces = results.map((result, index) => `${index > 0 ? ',' : ''}${renderResult(result)}`)
  return new JsonText([
    `{"data":{"succeeded":${results.length - failed},"failed":${failed},"results":[`,
    ...pieces,
    ']}}',
  ])
}

const renderResult = (result: string | ApiError): string =>
  result instanceof ApiError
    ? JSON.stringify({ status: result.status, error: envelopeOf(result) })
    : `{"status":200,"data":${result}}`
