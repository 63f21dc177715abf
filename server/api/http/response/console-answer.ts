/** Responses for the console: the bodies of the API, without headers for other origins. */

import type { ApiError } from '#base/errors/api-error'
import { envelopeOf, JsonText } from './answer'
import { executionIdHeader, JSON_HEADERS, PRIVATE_HEADERS } from './headers'

export interface ConsoleAnswers {
  /** Makes a response from a value or from JSON text. A `Response` is returned with the private headers, but keeps its own `Cache-Control`. */
  answer(id: string, output: object): Response
  error(id: string, error: ApiError): Response
}

export function createConsoleAnswers(brand: string): ConsoleAnswers {
  const idHeader = executionIdHeader(brand)
  const common = (id: string) => ({ ...PRIVATE_HEADERS, [idHeader]: id, 'X-Request-Id': id })

  const json = (id: string, { text, status, headers }: JsonText) =>
    new Response(text, { status, headers: { ...JSON_HEADERS, ...common(id), ...headers } })

  return {
    answer(id, output) {
      if (!(output instanceof Response)) {
        return json(id, output instanceof JsonText ? output : new JsonText(JSON.stringify(output)))
      }
      const { headers } = output
      for (const [name, value] of Object.entries(common(id)))
        if (name !== 'Cache-Control' || !headers.has(name)) headers.set(name, value)
      return output
    },
    error: (id, error) =>
      json(id, new JsonText(JSON.stringify(envelopeOf(error)), { status: error.status, headers: error.headers })),
  }
}

/** Whether a path belongs to the console, so that other origins cannot read its responses. */
export const isForConsole = (path: string): boolean =>
  path === '/authorize' || path === '/console' || path.startsWith('/console/')
