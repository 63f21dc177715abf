/**
 * Stands before the handlers of SCIM: authenticates the caller, counts the request, checks the scope, reads the body, and
 * renders errors in the form of SCIM. Bodies have no schema, because identity providers vary the case of attribute names.
 * See docs/reference/scim.md; docs/decisions/scim.md.
 */

import type { ApiError } from '#base/errors/api-error'
import type { Scope } from '#vocabulary/scopes'
import type { Authenticate, Caller } from '#api/http/guard/caller'
import { requireValidParams } from '#api/http/guard/read-input'
import { requireScopes } from '#api/http/guard/request-context'
import type { PathParams } from '#api/http/guard/route'
import { countRequest, kindOf, setRateLimitHeaders, type CountedRequest } from '#api/http/rate-limit/rate-limit'
import type { RateLimiter } from '#api/http/rate-limit/rate-limiter'
import { USUAL_BODY_LIMIT } from '#api/http/request/body-limits'
import { clientAddress, type Listener, urlOf } from '#api/http/request/request-url'
import { readBody } from '#api/http/request/read-body'
import { type Answers, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { describeScimRoute, type ScimSpec } from './describe-route'
import { scimErrorResponse, scimResponse, type ScimOutput } from './scim-response'

export interface ScimInput {
  readonly caller: Caller
  readonly params: Readonly<Record<'id', string>>
  readonly query: URLSearchParams
  /** The JSON object of the body; empty without a body. */
  readonly body: Readonly<Record<string, unknown>>
  /** The address of the client; null when it is unknown. */
  readonly address: string | null
}

/** A request with a valid token that was answered. */
export interface AnsweredRequest {
  readonly caller: Caller
  readonly request: Request
  readonly status: number
  readonly error: ApiError | undefined
  readonly milliseconds: number
}

export interface ScimEndpointOptions {
  readonly answers: Answers
  readonly authenticate: Authenticate
  readonly limits: RateLimiter | undefined
  readonly bodyLimit: number
  readonly trustedProxies: number
  /** Is called before each response to an authenticated caller. */
  readonly onAnswer: (answered: AnsweredRequest) => Promise<void>
}

interface Context {
  readonly request: Request
  readonly params: unknown
  readonly bearer?: string | undefined
  readonly server: Listener | null
}

export type ScimRoute = readonly [
  handler: (context: Context) => Promise<Response>,
  hook: { parse: 'none'; detail: object },
]

export interface ScimEndpoint {
  (spec: ScimSpec, run: (input: ScimInput) => ScimOutput | Promise<ScimOutput>): ScimRoute
  /** For a route that needs no token. */
  open(spec: ScimSpec, run: (params: ScimInput['params']) => ScimOutput): ScimRoute
}

export function createScimEndpoint(options: ScimEndpointOptions): ScimEndpoint {
  const { answers, onAnswer } = options
  const bodyLimit = Math.min(options.bodyLimit, USUAL_BODY_LIMIT)
  const admit = compileAdmission(options)

  const readInput = async (context: Context, spec: ScimSpec, caller: Caller): Promise<ScimInput> => ({
    caller,
    params: context.params as ScimInput['params'], // a handler reads only names of its path
    query: urlOf(context.request).searchParams,
    body: (spec.body === undefined ? undefined : await readBody(context.request, bodyLimit)) ?? {},
    address: clientAddress(context.request, context.server, options.trustedProxies),
  })

  const endpoint = (spec: ScimSpec, run: (input: ScimInput) => ScimOutput | Promise<ScimOutput>): ScimRoute => {
    // Elysia reads the parameter list of this function to decide what it prepares for each request.
    const handler: ScimRoute[0] = async ({ request, params, bearer, server }) => {
      const id = newRequestId()
      const begun = performance.now()
      const counted: CountedRequest = { rateLimit: undefined }
      let caller: Caller | undefined
      const finish = async (response: Response, error?: ApiError): Promise<Response> => {
        const milliseconds = Math.round(performance.now() - begun)
        if (caller !== undefined) await onAnswer({ caller, request, status: response.status, error, milliseconds })
        return setRateLimitHeaders(response, counted)
      }
      try {
        requireValidParams(request, params as PathParams)
        caller = await options.authenticate(request, bearer)
        await admit(request, caller, spec, counted)
        const output = await run(await readInput({ request, params, server }, spec, caller))
        return await finish(await scimResponse(answers, request, id, output))
      } catch (exception) {
        const error = errorFromException(exception, request, id)
        return finish(await scimErrorResponse(answers, request, id, error), error)
      }
    }
    return [handler, { parse: 'none', detail: describeScimRoute(spec, scopeOf(spec)) }]
  }

  const open: ScimEndpoint['open'] = (spec, run) => {
    const handler: ScimRoute[0] = async ({ request, params }) => {
      const id = newRequestId()
      try {
        const valid = requireValidParams(request, params as ScimInput['params'])
        return await scimResponse(answers, request, id, run(valid))
      } catch (exception) {
        return scimErrorResponse(answers, request, id, errorFromException(exception, request, id))
      }
    }
    return [handler, { parse: 'none', detail: describeScimRoute(spec, undefined) }]
  }
  return Object.assign(endpoint, { open })
}

const scopeOf = ({ access }: ScimSpec): Scope => `user_management:${access}`

/** Returns a function that counts a request and refuses a caller without the scope. */
function compileAdmission({ limits }: ScimEndpointOptions) {
  return async (request: Request, caller: Caller, spec: ScimSpec, counted: CountedRequest): Promise<void> => {
    const kind = spec.access === 'read' ? 'read' : kindOf(request.method)
    if (limits !== undefined && caller.limited) await countRequest(limits, caller.key, kind, counted)
    requireScopes(caller, {} as PathParams, { scopes: [scopeOf(spec)] }) // the scopes depend on no parameter
  }
}
