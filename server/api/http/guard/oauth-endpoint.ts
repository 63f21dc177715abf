/**
 * Stands before the token endpoints of OAuth: reads parameters from a form, and answers errors in the form of RFC 6749.
 * No cache stores a response. See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { ApiError } from '#base/errors/api-error'
import { createAnswers, JsonText, newRequestId } from '#api/http/response/answer'
import { clientAddress, type Listener } from '#api/http/request/request-url'
import { errorFromException } from '#api/http/response/error-from-exception'
import { readParameters } from '#api/http/request/read-parameters'

export interface TokenRequest {
  readonly request: Request
  readonly parameters: ReadonlyMap<string, string>
  /** The address of the client; null when it is unknown. */
  readonly address: string | null
}

interface Context {
  readonly request: Request
  readonly server: Listener | null
}

export type TokenRoute = readonly [
  handler: (context: Context) => Promise<Response>,
  hook: { parse: 'none'; detail: object },
]

/** `detail` describes the operation in the OpenAPI document. The response to undefined has an empty body. */
export type OauthEndpoint = (detail: object, run: (request: TokenRequest) => Promise<object | undefined>) => TokenRoute

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

interface OauthSettings {
  readonly brand: string
  readonly trustedProxies: number
}

export const createOauthEndpoint = (settings: OauthSettings): OauthEndpoint => {
  const endpoint = createEndpoint(settings)
  return (detail, run) =>
    endpoint(detail, 200, async ({ request, address }) =>
      run({ request, parameters: await readParameters(request), address }),
    )
}

/** A request whose body is not read yet. */
export type ClientRequest = Pick<TokenRequest, 'request' | 'address'>

/** For an endpoint that creates something, and reads the body itself. */
export const createRegistrationEndpoint = (settings: OauthSettings) => {
  const endpoint = createEndpoint(settings)
  return (detail: object, run: (request: ClientRequest) => Promise<object>) => endpoint(detail, 201, run)
}

function createEndpoint(settings: OauthSettings) {
  const answers = createAnswers(settings.brand)
  return (
    detail: object,
    status: 200 | 201,
    run: (request: ClientRequest) => Promise<object | undefined>,
  ): TokenRoute => {
    // Elysia reads the parameter list of this function to decide what it prepares for each request.
    const handler: TokenRoute[0] = async ({ request, server }) => {
      const id = newRequestId()
      try {
        const address = clientAddress(request, server, settings.trustedProxies)
        const output = await run({ request, address })
        if (output === undefined) return new Response(null, { headers: { ...answers.headers(id), ...NO_STORE } })
        return await answers.json(request, id, new JsonText(JSON.stringify(output), { status, headers: NO_STORE }))
      } catch (error) {
        return answers.error(request, id, inStandardForm(errorFromException(error, request, id)))
      }
    }
    return [handler, { parse: 'none', detail }]
  }
}

/** Whether a path is one of the token endpoints. */
export const isForClients = (path: string): boolean => path.startsWith('/oauth/')

/** Adds the members of RFC 6749 to an error that lacks them. */
export function inStandardForm({ status, type, code, message, extra, headers }: ApiError): ApiError {
  const error = { error: standardCode(status), error_description: message, ...extra }
  return new ApiError(status, type, code, message, error, { ...NO_STORE, ...headers })
}

/** The code of RFC 6749, 4.1.2.1 for an error that is not one of OAuth. */
export const standardCode = (status: number): 'temporarily_unavailable' | 'server_error' | 'invalid_request' =>
  status === 429 || status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
