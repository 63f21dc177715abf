/**
 * The way into the token endpoints, where clients speak for themselves: parameters from a form, errors in the standard's
 * form, nothing kept by anyone on the way. See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { ApiError } from '../../errors/api-error'
import { createAnswers, JsonText, newRequestId } from '../response/answer'
import { clientAddress, type Listener } from '../request/client-address'
import { errorFromException } from '../response/error-from-exception'
import { readParameters } from '../request/read-parameters'

export interface TokenRequest {
  readonly request: Request
  readonly parameters: ReadonlyMap<string, string>
  /** Where it came from, if that is known. */
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

/** `detail` describes the operation in the OpenAPI document. Undefined is answered with an empty body. */
export type OauthEndpoint = (detail: object, run: (request: TokenRequest) => Promise<object | undefined>) => TokenRoute

const NEVER_KEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

export function createOauthEndpoint(settings: {
  readonly brand: string
  readonly trustedProxies: number
}): OauthEndpoint {
  const answers = createAnswers(settings.brand)
  return (detail, run) => {
    // Named members only: Elysia reads from this source text what it must prepare for each request.
    const handler: TokenRoute[0] = async ({ request, server }) => {
      const id = newRequestId()
      try {
        const address = clientAddress(request, server, settings.trustedProxies)
        const output = await run({ request, parameters: await readParameters(request), address })
        if (output === undefined) return new Response(null, { headers: { ...answers.headers(id), ...NEVER_KEPT } })
        return await answers.json(request, id, new JsonText(JSON.stringify(output), { headers: NEVER_KEPT }))
      } catch (error) {
        return answers.error(request, id, inStandardForm(errorFromException(error, request, id)))
      }
    }
    return [handler, { parse: 'none', detail }]
  }
}

/** Paths of the token endpoints, whatever is asked of them. */
export const isForClients = (path: string): boolean => path.startsWith('/oauth/')

/** Every error has the members of the standard, also one that has nothing to do with it. */
export function inStandardForm({ status, type, code, message, extra, headers }: ApiError): ApiError {
  const error = { error: standardCode(status), error_description: message, ...extra }
  return new ApiError(status, type, code, message, error, { ...NEVER_KEPT, ...headers })
}

/** What the standard calls an error that has nothing to do with it. RFC 6749, 4.1.2.1. */
export const standardCode = (status: number): 'temporarily_unavailable' | 'server_error' | 'invalid_request' =>
  status === 429 || status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
