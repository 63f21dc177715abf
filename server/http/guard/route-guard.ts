/**
 * The way into every route: token, scopes, then what was sent; each refusal in its order, every answer in one form.
 * Unknown paths never get here, so they are 404 whoever asks.
 * See docs/reference/errors-and-limits.md (The order of refusals); decision 0010.
 */

import type { TObject, TSchema } from 'typebox'
import type { AppContext, ApiContext } from '../../context'
import { adminsOnly, missingScopes } from '../../errors/access'
import { includesScope, describeScope, type Scope } from '../../scopes'
import { readIdempotencyKey } from '../idempotency/idempotent-request'
import { createAnswers, newRequestId } from '../response/answer'
import { bodyLimitOf, openBodyLimitOf } from '../request/body-limits'
import { EventStream, streamResponse } from '../response/event-stream'
import { errorFromException } from '../response/error-from-exception'
import { answerOnce } from '../idempotency/answer-once'
import { measured } from '../monitoring/metrics-route'
import { describeRoute } from '../documentation/openapi'
import { asJson } from '../response/output'
import { countKnown, countRequest, kindOf, withAllowance, type Visit } from '../rate-limit/rate-limit'
import type { Authenticate, Caller } from './caller'
import { compileReader, requireValidParams } from './read-input'
import type { RouteGuard, Guarded, OpenInput, Output, PathParams, RouteSpec } from './route'

export function createRouteGuard(appContext: AppContext, authenticate: Authenticate): RouteGuard {
  const answers = createAnswers(appContext.settings.brand)
  const { limits, metrics } = appContext

  /** A handler that answers whatever happens inside. */
  const handle =
    (
      enter: (request: Request, params: PathParams, visit: Visit) => Promise<Output>,
      renew?: (request: Request, params: PathParams) => Promise<ApiContext>,
    ): Guarded['0'] =>
    // Named members only: Elysia reads from this source text what it must prepare for each request.
    async ({ request, params }) => {
      const id = newRequestId()
      const visit: Visit = { allowance: undefined }
      try {
        // Only names that stand in the path are read from it.
        const named = requireValidParams(request, params as PathParams)
        const output = await enter(request, named, visit)
        if (output instanceof EventStream)
          // Whatever keeps the caller from asking now ends the stream.
          return streamResponse(
            output,
            answers.headers(id),
            async () => renew?.(request, named).catch(() => undefined),
            appContext.shutdownSignal,
          )
        return withAllowance(await answers.json(request, id, asJson(output)), visit)
      } catch (error) {
        return withAllowance(await answers.error(request, id, errorFromException(error, request, id)), visit)
      }
    }

  const guard = <Q extends TObject, B extends TSchema>(
    spec: RouteSpec<Q, B>,
    run: (input: OpenInput<Q, B> & { context: ApiContext }) => Output,
  ): Guarded => {
    const bodyLimit = bodyLimitOf(spec, appContext.settings.bodyLimit)
    const read = compileReader(spec, bodyLimit)
    const { counts } = spec
    const refuse = (caller: Caller, params: PathParams) => refuseMissing(caller, params, spec)
    const act = async (caller: Caller, params: PathParams, request: Request) => {
      const input = await read(request)
      return run({ context: await makeRequestContext(appContext, caller, request), params, request, ...input })
    }
    const renew = async (request: Request, params: PathParams) => {
      const caller = await authenticate(request)
      refuse(caller, params)
      return makeRequestContext(appContext, caller, request)
    }
    /** Whatever a write left to be told is committed when it answers. */
    const told = async (output: Promise<Output>): Promise<Output> => {
      const done = await output
      appContext.events?.wake()
      return done
    }
    const handler = handle(async (request, params, visit) => {
      const caller = await authenticate(request)
      const kind = counts ?? kindOf(request.method)
      if (limits !== undefined && caller.limited) await countRequest(limits, caller.key, kind, visit)
      refuse(caller, params)
      if (kind === 'read') return act(caller, params, request)
      const key = readIdempotencyKey(request.headers)
      if (key === undefined) return told(act(caller, params, request))
      const keyed = {
        caller,
        key,
        request,
        bodyLimit: spec.body === undefined ? undefined : bodyLimit,
        makeRequestContext: () => makeRequestContext(appContext, caller, request),
      }
      const actAgain = async (again: Request, context: ApiContext) =>
        run({ context, params, request: again, ...(await read(again)) })
      return told(answerOnce(appContext, keyed, actAgain))
    }, renew)
    return [measured(metrics, spec.operation, handler), { parse: 'none', detail: describeRoute(spec) }]
  }

  const open: RouteGuard['open'] = (spec, run) => {
    const read = compileReader(spec, openBodyLimitOf(appContext.settings.bodyLimit))
    const handler = handle(async (request, params, visit) => {
      if (limits !== undefined) await countKnown(limits, authenticate, request, visit)
      return run({ params, request, ...(await read(request)) })
    })
    return [measured(metrics, spec.operation, handler), { parse: 'none', detail: describeRoute(spec) }]
  }

  return Object.assign(guard, { open })
}

async function makeRequestContext(
  { db, models, now, indexes, budget, targets, events, settings }: AppContext,
  { workspaceId, actor, authorizedBy, scopes, clientId }: Caller,
  request: Request,
): Promise<ApiContext> {
  return {
    model: await models.get(workspaceId),
    reloadModel: () => models.reload(workspaceId),
    actor,
    memberId: authorizedBy,
    clientId,
    scopes,
    db,
    now,
    // Made only when it is asked for, which most calls never do.
    get signal() {
      return request.signal
    },
    indexes,
    budget,
    targets,
    events,
    appUrl: settings.appUrl,
    objectQuota: settings.objectQuota,
  }
}

type Needed = Pick<RouteSpec<TObject, TSchema>, 'scopes' | 'otherScopes' | 'memberScopes'>

function refuseMissing({ scopes: granted, clientId }: Caller, params: PathParams, spec: Needed): void {
  const { scopes, otherScopes, memberScopes } = spec
  const isMember = clientId === undefined
  const needed = (isMember ? memberScopes : undefined) ?? (typeof scopes === 'function' ? scopes(params) : scopes)
  const hasAll = (all: readonly Scope[]) => all.every((scope) => includesScope(granted, scope))
  if (hasAll(needed) || (otherScopes && hasAll(otherScopes))) return
  if (isMember) throw adminsOnly()
  const missing = needed.filter((scope) => !includesScope(granted, scope))
  throw missingScopes(missing.map(describeScope), missing)
}
