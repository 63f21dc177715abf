/**
 * Stands before the handlers of SCIM: authenticates the caller, counts the request, checks the scope, reads the body, and
 * renders errors in the form of SCIM. Bodies have no schema, because identity providers vary the case of attribute names.
 * See docs/reference/scim.md; docs/decisions/scim.md.
 */
import type { RequestLimiter } from '#api/http/concurrency/request-limiter'
import { type Authenticate, type Caller, requireWritable } from '#api/http/guard/caller'
import { requireValidParams } from '#api/http/guard/read-input'
import { requireScopes } from '#api/http/guard/request-context'
import type { RateLimiter } from '#api/http/rate-limit/rate-limiter'
import { type CountedRequest, countRequest, kindOf, setRateLimitHeaders } from '#api/http/rate-limit/rate-limit'
import { USUAL_BODY_LIMIT } from '#api/http/request/body-limits'
import { readBody } from '#api/http/request/read-body'
import { clientAddress, type Listener, urlOf } from '#api/http/request/request-url'
import { type Answers, JsonText, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import type { ApiError } from '#base/errors/api-error'
import { noteCaller } from '#base/monitoring/trace-context'
import type { Scope } from '#vocabulary/scopes'

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

interface ScimEndpointOptions {
  readonly answers: Answers
  readonly authenticate: Authenticate
  readonly limits: RateLimiter | undefined
  readonly concurrency: RequestLimiter | undefined
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

type ScimRoute = readonly [handler: (context: Context) => Promise<Response>, hook: { parse: 'none'; detail: object }]

interface ScimEndpoint {
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
        // A 503 means that the process or the database has too much work to store the answer.
        if (caller !== undefined && response.status !== 503)
          await onAnswer({ caller, request, status: response.status, error, milliseconds })
        return setRateLimitHeaders(response, counted)
      }
      try {
        requireValidParams(request, params as ScimInput['params'])
        caller = await options.authenticate(request, bearer)
        noteCaller(caller)
        await admit(request, caller, spec, counted)
        const own = caller
        const work = async () => run(await readInput({ request, params, server }, spec, own))
        const limited = { class: 'normal', key: caller.workspaceId } as const
        const output = await (options.concurrency === undefined ? work() : options.concurrency.run(limited, work))
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
    requireScopes(caller, { scopes: [scopeOf(spec)], tokenLevel: 'workspace' })
    if (kind !== 'read') requireWritable(caller)
  }
}

/** Describes the routes of SCIM for the OpenAPI document. */
export interface ScimSpec {
  /** The operation's id in the OpenAPI document. */
  readonly operation: string
  readonly summary: string
  /** Whether the operation only reads. It decides which scope the caller needs. */
  readonly access: 'read' | 'read-write'
  readonly status: 200 | 201 | 204
  /** The names of query parameters. */
  readonly query?: readonly string[]
  /** The schema of the body, for the OpenAPI document. Undefined for an operation without a body. */
  readonly body?: object
  /** The schema of the response of success, if it is not 204. */
  readonly response?: object
}

const ERRORS = [400, 401, 403, 404, 409, 413, 429, 500]

const SCIM_OBJECT = { type: 'object', properties: { schemas: { type: 'array', items: { type: 'string' } } } }
const SCIM_ERROR = {
  type: 'object',
  properties: {
    schemas: { type: 'array', items: { type: 'string' } },
    status: { type: 'string' },
    scimType: { type: 'string' },
    detail: { type: 'string' },
  },
  required: ['schemas', 'status', 'detail'],
}

const content = (schema: object) => ({ 'application/scim+json': { schema } })

/** `scope` is undefined for an operation that needs no token. */
const describeScimRoute = (spec: ScimSpec, scope: Scope | undefined): object => ({
  operationId: spec.operation,
  summary: spec.summary,
  description: scope === undefined ? 'Needs no token.' : `Required scopes: \`${scope}\`.`,
  tags: ['SCIM'],
  parameters: (spec.query ?? []).map((name) => ({
    name,
    in: 'query',
    required: false,
    schema: { type: name === 'startIndex' || name === 'count' ? 'integer' : 'string' },
  })),
  ...(spec.body && { requestBody: { required: true, content: content(spec.body) } }),
  responses: {
    [spec.status]: {
      description: 'Done',
      ...(spec.status === 204 ? {} : { content: content(spec.response ?? SCIM_OBJECT) }),
    },
    ...Object.fromEntries(ERRORS.map((status) => [status, { description: 'Error', content: content(SCIM_ERROR) }])),
  },
  security: scope === undefined ? [] : [{ oauth2: [scope] }, { bearer: [] }, { basic: [] }],
  ...(scope === undefined ? {} : { 'x-required-scopes': [scope] }),
})

export const SCIM_PATH = '/scim/v2'
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
const HEADERS = { 'Content-Type': 'application/scim+json; charset=utf-8' }

export interface ScimOutput {
  readonly status: 200 | 201 | 204
  readonly body?: object
  /** The URL of the resource in the body. */
  readonly location?: string
}

/** Whether the errors of a path have the form of SCIM. */
export const isForScim = (path: string): boolean => path === '/scim' || path.startsWith('/scim/')

function scimResponse(answers: Answers, request: Request, id: string, output: ScimOutput) {
  const location: Record<string, string> = output.location === undefined ? {} : { Location: output.location }
  const text = output.body === undefined ? '' : JSON.stringify(output.body)
  return answers.json(request, id, new JsonText(text, { status: output.status, headers: { ...HEADERS, ...location } }))
}

export const scimErrorResponse = (answers: Answers, request: Request, id: string, error: ApiError) =>
  answers.json(
    request,
    id,
    new JsonText(JSON.stringify(scimErrorOf(error)), {
      status: error.status,
      headers: { ...error.headers, ...HEADERS },
    }),
  )

/** RFC 7644, 3.12. */
const scimErrorOf = (error: ApiError) => ({
  schemas: [ERROR_SCHEMA],
  status: String(error.status),
  ...scimTypeOf(error),
  detail: error.message,
})

/** Errors of the body or the query, which other parts of the API have as well, are errors of syntax. */
function scimTypeOf({ status, extra }: ApiError): { scimType?: unknown } {
  if (extra.scimType !== undefined) return { scimType: extra.scimType }
  return status === 400 ? { scimType: 'invalidSyntax' } : {}
}
