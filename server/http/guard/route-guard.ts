/**
 * Stands before the handler of every route: authenticates the caller, counts the request, checks scopes, reads the input.
 * Each step can refuse the request. Elysia refuses unknown paths with 404 before the guard.
 * See docs/reference/errors-and-limits.md (The order of refusals); decision 0010.
 */

import type { TObject, TSchema } from 'typebox'
import type { ApiContext, AppContext } from '../../context'
import { describeRoute } from '../documentation/openapi'
import { answerOnce } from '../idempotency/answer-once'
import { readIdempotencyKey } from '../idempotency/idempotent-request'
import { countResponses } from '../monitoring/metrics-route'
import { countOpenRequest, countRequest, kindOf } from '../rate-limit/rate-limit'
import { bodyLimitOf, openBodyLimitOf } from '../request/body-limits'
import { createRouteHandler, type RouteSteps } from './answer-route'
import type { Authenticate, Caller } from './caller'
import { compileReader } from './read-input'
import { makeRequestContext } from './request-context'
import { requireScopes } from './require-scopes'
import type { IncomingRequest, Input, OpenInput, OpenRouteSpec, Output, RouteGuard, RouteSpec } from './route'

export function createRouteGuard(appContext: AppContext, authenticate: Authenticate): RouteGuard {
  const handle = createRouteHandler(appContext)
  const route = (spec: OpenRouteSpec<TObject, TSchema>, steps: RouteSteps) =>
    [
      countResponses(appContext.metrics, spec.operation, handle(steps)),
      { parse: 'none', detail: describeRoute(spec) },
    ] as const
  const guard = <Q extends TObject, B extends TSchema>(spec: RouteSpec<Q, B>, run: (input: Input<Q, B>) => Output) =>
    route(spec, authenticatedSteps(appContext, authenticate, spec, run))
  const open: RouteGuard['open'] = (spec, run) => route(spec, openSteps(appContext, authenticate, spec, run))
  return Object.assign(guard, { open })
}

function authenticatedSteps<Q extends TObject, B extends TSchema>(
  appContext: AppContext,
  authenticate: Authenticate,
  spec: RouteSpec<Q, B>,
  run: (input: Input<Q, B>) => Output,
): RouteSteps {
  const { limits } = appContext
  const execute = compileExecution(appContext, spec, run)
  return {
    async run(incoming) {
      const { request, params, bearer } = incoming
      const caller = await authenticate(request, bearer)
      const kind = spec.counts ?? kindOf(request.method)
      if (limits !== undefined && caller.limited) await countRequest(limits, caller.key, kind, incoming)
      requireScopes(caller, params, spec)
      return kind === 'read' ? execute.read(incoming, caller) : execute.write(incoming, caller)
    },
    async renew({ request, params, bearer }) {
      const caller = await authenticate(request, bearer)
      requireScopes(caller, params, spec)
      return makeRequestContext(appContext, caller, request)
    },
  }
}

/** Returns the functions that read the input of a request and run the operation for a caller who has its scopes. */
function compileExecution<Q extends TObject, B extends TSchema>(
  appContext: AppContext,
  spec: RouteSpec<Q, B>,
  run: (input: Input<Q, B>) => Output,
) {
  const bodyLimit = bodyLimitOf(spec, appContext.settings.bodyLimit)
  const readInput = compileReader(spec, bodyLimit)

  const read = async ({ request, params, bearer }: IncomingRequest, caller: Caller): Promise<Output> => {
    const input = await readInput(request)
    const context = await makeRequestContext(appContext, caller, request)
    return run({ context, params, request, bearer, ...input })
  }

  const writeOnce = ({ request, params, bearer }: IncomingRequest, caller: Caller, key: string): Promise<Output> => {
    const idempotent = {
      caller,
      key,
      request,
      bodyLimit: spec.body === undefined ? undefined : bodyLimit,
      makeRequestContext: () => makeRequestContext(appContext, caller, request),
    }
    return answerOnce(appContext, idempotent, async (copy: Request, context: ApiContext) =>
      run({ context, params, request: copy, bearer, ...(await readInput(copy)) }),
    )
  }

  const write = async (incoming: IncomingRequest, caller: Caller): Promise<Output> => {
    const key = readIdempotencyKey(incoming.request.headers)
    const output = await (key === undefined ? read(incoming, caller) : writeOnce(incoming, caller, key))
    // The change events of the write are committed now, so the publisher can read them.
    appContext.events?.wake()
    return output
  }

  return { read, write }
}

function openSteps<Q extends TObject, B extends TSchema>(
  { limits, settings }: AppContext,
  authenticate: Authenticate,
  spec: OpenRouteSpec<Q, B>,
  run: (input: OpenInput<Q, B>) => Output,
): RouteSteps {
  const readInput = compileReader(spec, openBodyLimitOf(settings.bodyLimit))
  return {
    async run(incoming) {
      if (limits !== undefined) await countOpenRequest(limits, authenticate, incoming)
      const { request, params, bearer } = incoming
      return run({ params, request, bearer, ...(await readInput(request)) })
    },
  }
}
