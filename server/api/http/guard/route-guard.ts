/**
 * Stands before the handler of every route: authenticates the caller, counts the request, checks scopes, waits for its turn, reads the
 * input.
 * Each step can refuse the request. Elysia refuses unknown paths with 404 before the guard.
 * See docs/reference/errors-and-limits.md (The order of refusals); docs/decisions/route-guard.md.
 */

import type { Static, TObject, TSchema } from 'typebox'
import type { ApiContext, AppContext } from '#context'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { logError } from '#base/logging/log-error'
import { type DescribedRoute, describeRoute } from '#api/http/documentation/openapi'
import { compileLimitedWork } from '#api/http/concurrency/request-limiter'
import { answerDryRun, isDryRun } from '#api/http/dry-run/dry-run'
import { answerOnce } from '#api/http/idempotency/answer-once'
import { readIdempotencyKey } from '#api/http/idempotency/idempotent-request'
import { noteCaller } from '#base/monitoring/trace-context'
import { countResponses } from '#api/http/monitoring/metrics-route'
import { isInner } from '#api/http/monitoring/observe-requests'
import type { RequestKind } from '#api/http/rate-limit/rate-limiter'
import { countOpenRequest, countRequest, requestKindOf, setRateLimitHeaders } from '#api/http/rate-limit/rate-limit'
import { bodyLimitOf, openBodyLimitOf } from '#api/http/request/body-limits'
import { readBytes } from '#api/http/request/read-body'
import { urlOf } from '#api/http/request/request-url'
import { compileUpload } from '#api/http/upload/upload-steps'
import { type Authenticate, type Caller, requireWritable } from './caller'
import { compileReader, requireValidParams } from './read-input'
import { makeReadContext, makeRequestContext, requireScopes } from './request-context'
import {
  type GuardedHandler,
  type GuardedRoute,
  type IncomingRequest,
  type Input,
  type OpenInput,
  type OpenRouteSpec,
  type Output,
  type RouteGuard,
  type RouteSpec,
  type UploadInput,
  type UploadSpec,
  paramsOf,
} from './route'
import { createAnswers, newRequestId, renderOutput } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { IGNORED_HEADER, ignoredNames } from '#api/http/response/headers'
import { EventStream, streamResponse } from '#api/http/response/event-stream'
import { JsonStream, jsonStreamResponse } from '#api/http/response/export-stream'

export function createRouteGuard(appContext: AppContext, authenticate: Authenticate): RouteGuard {
  const handle = createRouteHandler(appContext)
  const route = <Path extends string>(
    path: Path,
    spec: DescribedRoute,
    steps: RouteSteps,
    form: 'json' | 'upload' = 'json',
  ): GuardedRoute<Path> => [
    path,
    countResponses(appContext.metrics, spec.operation, handle(steps, path)),
    { parse: 'none', detail: describeRoute(spec, form) },
  ]
  const guard = <Path extends string, Q extends TObject, B extends TSchema>(
    path: Path,
    spec: RouteSpec<Q, B>,
    run: (input: Input<Q, B, Path>) => Output,
  ) => route(path, spec, authenticatedSteps(appContext, authenticate, { ...spec, path }, run))
  const open: RouteGuard['open'] = (path, spec, run) =>
    route(path, spec, openSteps(appContext, authenticate, spec, run))
  const upload: RouteGuard['upload'] = (path, spec, run) =>
    route(path, spec, uploadSteps(appContext, authenticate, spec, run), 'upload')
  return Object.assign(guard, { open, upload })
}

/** Returns a function that authenticates the caller of a request, counts the request and checks the scopes. */
function compileAdmission({ limits }: AppContext, authenticate: Authenticate, spec: AdmissionSpec) {
  return async (incoming: IncomingRequest): Promise<{ caller: Caller; kind: RequestKind }> => {
    const { request, bearer } = incoming
    const caller = await authenticate(request, bearer)
    incoming.caller = caller
    noteCaller(caller)
    const kind = spec.counts ?? requestKindOf(request.method)
    if (limits !== undefined && caller.limited) await countRequest(limits, caller.key, kind, incoming)
    requireScopes(caller, spec)
    if (kind !== 'read') requireWritable(caller)
    return { caller, kind }
  }
}

type AdmissionSpec = Pick<
  RouteSpec<TObject, TSchema>,
  'counts' | 'scopes' | 'otherScopes' | 'memberScopes' | 'tokenLevel'
>

function uploadSteps<Path extends string, B extends TObject>(
  appContext: AppContext,
  authenticate: Authenticate,
  spec: UploadSpec<B>,
  run: (input: UploadInput<B, Path>) => Output,
): RouteSteps {
  const admit = compileAdmission(appContext, authenticate, spec)
  const execute = compileUpload(appContext, spec, run)
  return {
    async run(incoming) {
      const { caller } = await admit(incoming)
      // The turn decides whether the body is read. A file that arrives slowly takes no turn from others.
      await appContext.concurrency?.run({ class: 'heavy', key: caller.workspaceId }, async () => {})
      return asWriter(appContext, caller, () => execute(incoming, caller))
    },
  }
}

function authenticatedSteps<Path extends string, Q extends TObject, B extends TSchema>(
  appContext: AppContext,
  authenticate: Authenticate,
  spec: RouteSpec<Q, B> & { readonly path: Path },
  run: (input: Input<Q, B, Path>) => Output,
): RouteSteps {
  const { concurrency } = appContext
  const admit = compileAdmission(appContext, authenticate, spec)
  const limitedWork = compileLimitedWork(spec)
  const execute = compileExecution(appContext, spec, run)
  return {
    async run(incoming) {
      const { caller, kind } = await admit(incoming)
      const read = () => execute.read(incoming, caller)
      const write = () => execute.write(incoming, caller)
      const work = () =>
        kind !== 'read' || spec.showsWork === true
          ? asWriter(appContext, caller, kind === 'read' ? read : write)
          : read()
      return concurrency === undefined ? work() : concurrency.run(limitedWork(incoming.request, caller), work)
    },
    async renew({ request, bearer }, makeContext) {
      const caller = await authenticate(request, bearer)
      requireScopes(caller, spec)
      return makeContext(appContext, caller, request)
    },
  }
}

/** Runs a write. Later reads of the caller find it on a replica, or run on the primary. */
async function asWriter<T>({ replica }: AppContext, caller: Caller, write: () => Promise<T>): Promise<T> {
  if (replica === undefined) return write()
  await replica.storeWrite(caller)
  try {
    return await write()
  } finally {
    // A write that lasts longer than a stored time counts from its end. One whose time cannot be stored is answered all the same.
    await replica.storeWrite(caller).catch((error: unknown) => logError('The time of a write was not stored.', error))
  }
}

/** Returns a function that counts a request as more than one, if its body does. The request itself is counted already. */
function compileFurtherCount<Q extends TObject, B extends TSchema>({ limits }: AppContext, spec: RouteSpec<Q, B>) {
  return async (caller: Caller, body: Static<B>): Promise<void> => {
    const further = (spec.requestsOf?.(body) ?? 1) - 1
    if (further > 0 && caller.limited) await limits?.countFurther(caller.key, 'write', further)
  }
}

/** Returns the functions that read the input of a request and run the operation for a caller who has its scopes. */
function compileExecution<Path extends string, Q extends TObject, B extends TSchema>(
  appContext: AppContext,
  spec: RouteSpec<Q, B>,
  operation: (input: Input<Q, B, Path>) => Output,
) {
  const bodyLimit = bodyLimitOf(spec, appContext.settings.bodyLimit)
  const compiledReader = compileReader(spec, bodyLimit)
  const isTwice = spec.hasStatusCodeTwice === true
  const run = isTwice ? withStatusCode(operation) : operation
  const readInput: typeof compiledReader = isTwice ? withStatusCode(compiledReader) : compiledReader
  const countFurther = compileFurtherCount(appContext, spec)

  const runOnce = async (
    incoming: IncomingRequest,
    caller: Caller,
    makeContext: typeof makeRequestContext,
  ): Promise<Output> => {
    const { request, params, bearer } = incoming
    const input = await readInput(request, incoming)
    await countFurther(caller, input.body)
    const context = await makeContext(appContext, caller, request)
    return run({ context, params: paramsOf<Path>(params), request, bearer, ...input })
  }

  const writeOnce = async (incoming: IncomingRequest, caller: Caller, key: string): Promise<Output> => {
    const { request, params, bearer } = incoming
    const body = spec.body === undefined ? new Uint8Array() : await readBytes(request, bodyLimit)
    if (spec.requestsOf !== undefined) {
      // Before the transaction: a request that holds a connection must not wait for another one.
      const input = await readInput(copyOf(request, body)).catch(ignoreRefusal)
      if (input !== undefined) await countFurther(caller, input.body)
    }
    const newContext = () => makeRequestContext(appContext, caller, request)
    return answerOnce(
      appContext,
      { caller, key, request, body, makeRequestContext: newContext },
      async (context: ApiContext) => {
        const copy = copyOf(request, body)
        const input = await readInput(copy, incoming)
        return run({ context, params: paramsOf<Path>(params), request: copy, bearer, ...input })
      },
    )
  }

  const runDry = async (incoming: IncomingRequest, caller: Caller): Promise<Output> => {
    const { request, params, bearer } = incoming
    const input = await readInput(request, incoming)
    await countFurther(caller, input.body)
    const context = await makeRequestContext(appContext, caller, request)
    return answerDryRun(appContext.db, context, async (context) =>
      run({ context, params: paramsOf<Path>(params), request, bearer, ...input }),
    )
  }

  const write = async (incoming: IncomingRequest, caller: Caller): Promise<Output> => {
    incoming.isDryRun = isDryRun(incoming.request)
    if (incoming.isDryRun) return runDry(incoming, caller)
    const key = readIdempotencyKey(incoming.request.headers)
    const output = await (key === undefined
      ? runOnce(incoming, caller, makeRequestContext)
      : writeOnce(incoming, caller, key))
    // The change events of the write are committed now, so the publisher can read them.
    appContext.events?.wake()
    return output
  }

  const read = (incoming: IncomingRequest, caller: Caller) => runOnce(incoming, caller, makeReadContext)
  return { read, write }
}

/** See `hasStatusCodeTwice`. */
const withStatusCode =
  <Given extends unknown[], Result>(run: (...given: Given) => Result) =>
  async (...given: Given): Promise<Awaited<Result>> => {
    try {
      return await run(...given)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      const { status, type, code, message, extra, headers } = error
      throw new ApiError(status, type, code, message, { statusCode: status, ...extra }, headers)
    }
  }

/** The same refusal comes again within the transaction, which stores it. */
const ignoreRefusal = (error: unknown): undefined => void refusalOf(error)

/** A copy of the request, whose body can be read. */
const copyOf = (request: Request, body: Uint8Array): Request =>
  new Request(urlOf(request), {
    method: request.method,
    headers: request.headers,
    body: body as Uint8Array<ArrayBuffer>, // the bytes are not in shared memory
  })

function openSteps<Path extends string, Q extends TObject, B extends TSchema>(
  { limits, settings }: AppContext,
  authenticate: Authenticate,
  spec: OpenRouteSpec<Q, B>,
  run: (input: OpenInput<Q, B, Path>) => Output,
): RouteSteps {
  const readInput = compileReader(spec, openBodyLimitOf(settings.bodyLimit))
  return {
    async run(incoming) {
      if (limits !== undefined) await countOpenRequest(limits, authenticate, incoming)
      const { request, params, bearer } = incoming
      return run({ params: paramsOf<Path>(params), request, bearer, ...(await readInput(request, incoming)) })
    },
  }
}

// Makes the response of a route from its output, or from the error that it throws.

/** The steps that differ between routes. */
interface RouteSteps {
  /** Guards and runs the operation. */
  run(incoming: IncomingRequest): Promise<Output>
  /** Checks again the access of the caller of an open event stream. Undefined for a route without streams. */
  renew?(incoming: IncomingRequest, makeContext: typeof makeRequestContext): Promise<ApiContext>
}

function createRouteHandler(appContext: AppContext): (steps: RouteSteps, path: string) => GuardedHandler {
  const { settings, models, streams, shutdownSignal } = appContext
  const answers = createAnswers(settings.brand)
  return ({ run, renew }, path) => {
    const note = compileNote(appContext, path)
    // Elysia reads the parameter list of this function to decide what it prepares for each request.
    return async ({ request, params, bearer }) => {
      const begunAt = performance.now()
      const id = newRequestId()
      // The values of the path parameters are checked before their use.
      const incoming: IncomingRequest = {
        request,
        params: params as IncomingRequest['params'],
        bearer,
        isDryRun: false,
        ignored: [],
        rateLimit: undefined,
        caller: undefined,
      }
      try {
        requireValidParams(request, incoming.params)
        const output = await run(incoming)
        const renewedBy = (makeContext: typeof makeRequestContext) => async () =>
          renew?.(incoming, makeContext).catch(() => undefined)
        if (output instanceof EventStream) {
          const { caller } = incoming
          note(incoming, 200, begunAt)
          // The stream ends when the caller is no longer allowed to read it.
          // A replica may not have the events yet of which the stream was notified.
          return streamResponse(output, answers.headers(id), renewedBy(makeRequestContext), {
            stopping: shutdownSignal,
            // Access changes with the data model, which has the members.
            onAccessChange: (notify) => models.onChange((changed) => changed === caller?.workspaceId && notify()),
            onEnd: caller && streams?.open(caller),
          })
        }
        if (output instanceof JsonStream) {
          const headers = answers.headers(id, output.options.queryScore)
          note(incoming, 200, begunAt)
          return setOwnHeaders(jsonStreamResponse(output, headers, renewedBy(makeReadContext)), incoming)
        }
        const response = await answers.json(request, id, renderOutput(output))
        note(incoming, response.status, begunAt)
        return setOwnHeaders(response, incoming)
      } catch (exception) {
        const error = errorFromException(exception, request, id)
        note(incoming, error.status, begunAt, error.code)
        return setOwnHeaders(await answers.error(request, id, error), incoming)
      }
    }
  }
}

/** Returns a function that notes an answered request of an API key or an app for the console. */
function compileNote({ recentRequests, now }: AppContext, route: string) {
  const path = route.replaceAll(/:(\w+)/g, '{$1}')
  return (incoming: IncomingRequest, status: number, begunAt: number, code: string | null = null): void => {
    const { caller, request, ignored } = incoming
    if (recentRequests === undefined || caller?.clientId === undefined || isInner(request)) return
    recentRequests.add({
      workspaceId: caller.workspaceId,
      clientId: caller.clientId,
      method: request.method,
      path,
      status,
      code,
      ignored: ignored.length > 0 ? ignoredNames(ignored) : null,
      durationMs: Math.round(performance.now() - begunAt),
      answeredAt: now(),
    })
  }
}

/** Sets the headers that depend on the request. */
function setOwnHeaders(response: Response, incoming: IncomingRequest): Response {
  if (incoming.isDryRun) response.headers.set('Dry-Run', 'true')
  if (incoming.ignored.length > 0) response.headers.set(IGNORED_HEADER, ignoredNames(incoming.ignored))
  return setRateLimitHeaders(response, incoming)
}
