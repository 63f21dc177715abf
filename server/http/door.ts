/**
 * The way into every route: token, scopes, then what was sent; each refusal in its order, every answer in one form.
 * Unknown paths never get here, so they are 404 whoever asks. Spec: errors-and-limits 1 and 2; decision 0010.
 */

import type { TObject, TSchema } from 'typebox'
import type { Call } from '../call'
import { endpointNotFound, invalidBody, missingScopes } from '../errors'
import type { Platform } from '../platform'
import { compileCheck } from '../schema'
import { grants, scopeInWords, type Scope } from '../scopes'
import { createAnswers, JsonText, newRequestId } from './answer'
import { failureOf } from './failure'
import { describeRoute } from './openapi'
import { readBody } from './read-body'
import { compileQuery } from './read-query'
import type { Door, Guarded, OpenInput, OpenRouteSpec, Output, PathParams, RouteSpec } from './route'
import { isFitText } from './unfit-text'

/** Who a token stands for. */
export interface Caller {
  readonly workspaceId: string
  readonly actor: number
  /** The id of the member who authorised the token. */
  readonly authorizedBy: string
  readonly scopes: ReadonlySet<Scope>
}

/** From an Authorization header to a caller; throws 401. */
export type Authenticate = (header: string | null) => Caller | Promise<Caller>

export function createDoor(platform: Platform, authenticate: Authenticate): Door {
  const answers = createAnswers(platform.settings.brand)

  /** A handler that answers whatever happens inside. */
  const guard =
    (enter: (request: Request, params: PathParams) => Promise<Output>): Guarded['0'] =>
    // Named members only: Elysia reads from this source text what it must prepare for each request.
    async ({ request, params }) => {
      const id = newRequestId()
      try {
        // Only names that stand in the path are read from it.
        const output = await enter(request, fitParams(request, params as PathParams))
        return await answers.json(
          request,
          id,
          output instanceof JsonText ? output : new JsonText(JSON.stringify(output)),
        )
      } catch (error) {
        return answers.error(request, id, failureOf(error, request, id))
      }
    }

  const door = <Q extends TObject, B extends TSchema>(
    spec: RouteSpec<Q, B>,
    run: (input: OpenInput<Q, B> & { call: Call }) => Output,
  ): Guarded => {
    const read = compileReader(spec, platform.settings.bodyLimit)
    const { scopes } = spec
    const handler = guard(async (request, params) => {
      const caller = await authenticate(request.headers.get('authorization'))
      refuseMissing(caller.scopes, typeof scopes === 'function' ? scopes(params) : scopes, spec.otherScopes)
      const input = await read(request)
      const call = await makeCall(platform, caller, request)
      return run({ call, params, request, ...input })
    })
    return [handler, { parse: 'none', detail: describeRoute(spec) }]
  }

  const open: Door['open'] = (spec, run) => {
    const read = compileReader(spec, platform.settings.bodyLimit)
    const handler = guard(async (request, params) => run({ params, request, ...(await read(request)) }))
    return [handler, { parse: 'none', detail: describeRoute(spec) }]
  }

  return Object.assign(door, { open })
}

async function makeCall(
  { db, models, now, indexes, budget, settings }: Platform,
  { workspaceId, actor, authorizedBy, scopes }: Caller,
  request: Request,
): Promise<Call> {
  return {
    model: await models.get(workspaceId),
    reloadModel: () => models.reload(workspaceId),
    actor,
    memberId: authorizedBy,
    scopes,
    db,
    now,
    // Made only when it is asked for, which most calls never do.
    get signal() {
      return request.signal
    },
    indexes,
    budget,
    appUrl: settings.appUrl,
    objectQuota: settings.objectQuota,
  }
}

function refuseMissing(granted: ReadonlySet<Scope>, needed: readonly Scope[], others?: readonly Scope[]): void {
  const hasAll = (scopes: readonly Scope[]) => scopes.every((scope) => grants(granted, scope))
  if (hasAll(needed) || (others && hasAll(others))) return
  const missing = needed.filter((scope) => !grants(granted, scope))
  throw missingScopes(missing.map(scopeInWords), missing)
}

/** Path parameters come decoded; what could not be, or what no database can hold, names nothing. */
function fitParams(request: Request, params: PathParams): PathParams {
  for (const name in params) {
    const value: unknown = params[name as keyof PathParams]
    if (typeof value !== 'string' || !isFitText(value))
      throw endpointNotFound(request.method, new URL(request.url).pathname)
  }
  return params
}

/** Reads and checks query and body as far as a route declares them. */
function compileReader<Q extends TObject, B extends TSchema>(spec: OpenRouteSpec<Q, B>, limit: number) {
  const readQuery = spec.query === undefined ? undefined : compileQuery(spec.query)
  const check = spec.body === undefined ? undefined : compileCheck(spec.body)
  return async (request: Request): Promise<Pick<OpenInput<Q, B>, 'query' | 'body'>> => {
    const query = readQuery?.(request.url)
    let body: unknown
    if (check !== undefined) {
      body = (await readBody(request, limit)) ?? (spec.bodyOptional === true ? {} : undefined)
      const issues = check(body)
      if (issues.length > 0) throw invalidBody(issues)
    }
    // Checked against the schemas; a route that declares none never sees them.
    return { query, body } as Pick<OpenInput<Q, B>, 'query' | 'body'>
  }
}
