/** The request log, and the span of each request. See docs/monitoring/README.md. */
import { Elysia } from 'elysia'
import { pathOf } from '#api/http/request/request-url'
import { logLine } from '#base/logging/log-error'
import { currentScope, type RequestScope, runInScope } from '#base/monitoring/trace-context'
import type { BegunSpan, Tracer } from '#base/monitoring/tracer'

export interface RequestMonitor {
  readonly logsRequests: boolean
  /** Whether the log has slow statements, with the routes of their requests. */
  readonly logsStatements: boolean
  readonly tracer: Tracer | undefined
}

/** Probes and scrapers ask every few seconds. */
const UNOBSERVED_PATHS = new Set(['/healthz', '/readyz', '/metrics'])
/** A client may send any word as the method. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type Handle = (request: Request, ...rest: unknown[]) => Response | Promise<Response>

const innerRequests = new WeakSet<Request>()

/** Marks a request that the process makes to answer another one, to which it belongs. */
export function asInner(request: Request): Request {
  innerRequests.add(request)
  return request
}

export const isInner = (request: Request): boolean => innerRequests.has(request)

/** Returns a plugin that does nothing without a monitor. It must come before all routes. */
export function observeRequests(monitor: RequestMonitor | undefined) {
  const plugin = new Elysia({ name: 'observe-requests' })
  if (monitor === undefined) return plugin
  return (
    plugin
      // Elysia's type says that the handler returns a function; it returns the response.
      .wrap((handle) => observed(monitor, handle as unknown as Handle))
      .onBeforeHandle({ as: 'global' }, ({ route }) => noteRoute(route))
  )
}

/** The routes of the console that end with `*` pass the request on to a route of the API, which says more. */
function noteRoute(route: string): void {
  const scope = currentScope()
  if (scope !== undefined && (scope.route === undefined || scope.route.endsWith('*'))) scope.route = route
}

const observed =
  (monitor: RequestMonitor, handle: Handle): Handle =>
  (request, ...rest) => {
    if (isInner(request) || UNOBSERVED_PATHS.has(pathOf(request))) return handle(request, ...rest)
    const span = monitor.tracer?.begin(request.headers.get('traceparent'))
    // Without a scope, a request that is not sampled costs what it costs without a tracer.
    if (span === undefined && !monitor.logsRequests && !monitor.logsStatements) return handle(request, ...rest)
    const scope: RequestScope = {
      route: undefined,
      workspaceId: undefined,
      clientId: undefined,
      trace: span?.context,
      endedAt: undefined,
    }
    const startedAt = performance.now()
    return runInScope(scope, async () => {
      const response = await handle(request, ...rest)
      scope.endedAt = performance.now()
      report(monitor, { request, response, scope, span, startedAt, endedAt: scope.endedAt })
      return response
    })
  }

interface Answered {
  readonly request: Request
  readonly response: Response
  readonly scope: RequestScope
  readonly span: BegunSpan | undefined
  readonly startedAt: number
  readonly endedAt: number
}

function report({ logsRequests, tracer }: RequestMonitor, answered: Answered): void {
  const { request, response, scope, span, startedAt, endedAt } = answered
  const method = METHODS.has(request.method) ? request.method : '_OTHER'
  const requestId = response.headers.get('x-request-id') ?? undefined
  if (logsRequests)
    logLine('info', 'A request was answered.', {
      method,
      route: scope.route ?? null,
      status: response.status,
      ms: Number((endedAt - startedAt).toFixed(1)),
      workspace_id: scope.workspaceId,
      key_id: scope.clientId,
      request_id: requestId,
      trace_id: scope.trace?.traceId,
    })
  if (tracer === undefined || span === undefined) return
  tracer.record({
    ...span,
    name: scope.route === undefined ? method : `${method} ${scope.route}`,
    kind: 'server',
    startedAt: performance.timeOrigin + startedAt,
    endedAt: performance.timeOrigin + endedAt,
    attributes: {
      'http.request.method': method,
      'http.route': scope.route,
      'http.response.status_code': response.status,
      'relata.workspace_id': scope.workspaceId,
      'relata.key_id': scope.clientId,
      'relata.request_id': requestId,
    },
    isError: response.status >= 500,
  })
}

/** Counts the requests that this process receives, so that work in the background knows whether it shares the process with any. */
export interface RequestCounter {
  /** The number of requests since the start. */
  readonly total: number
  add(): void
}

export function createRequestCounter(): RequestCounter {
  let total = 0
  return {
    get total() {
      return total
    },
    add() {
      total++
    },
  }
}
