/** What the log and the traces say of a request. The runtime keeps it for the asynchronous work that the request causes. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { renderTraceparent, type TraceContext } from './trace-context'

export interface RequestScope {
  /** The pattern of the path, such as `/v2/objects/:object`. Undefined before the route is found, and for an unknown path. */
  route: string | undefined
  workspaceId: string | undefined
  /** The id of the app or API key. */
  clientId: string | undefined
  /** The span of the request. Undefined when the request has no trace. */
  readonly trace: TraceContext | undefined
  /** When the response began, in milliseconds of `performance.now()`. */
  endedAt: number | undefined
}

const scopes = new AsyncLocalStorage<RequestScope>()

export const currentScope = (): RequestScope | undefined => scopes.getStore()

export const runInScope = <T>(scope: RequestScope, work: () => T): T => scopes.run(scope, work)

/** Runs work that a request begins, and that serves others as well: a loop of a worker, a call for several requests. */
export const runOutsideScope = <T>(work: () => T): T => (scopes.getStore() === undefined ? work() : scopes.exit(work))

/** Notes who sends the request that runs. */
export function noteCaller({
  workspaceId,
  clientId,
}: {
  readonly workspaceId: string
  readonly clientId?: string
}): void {
  const scope = scopes.getStore()
  if (scope === undefined) return
  scope.workspaceId = workspaceId
  scope.clientId = clientId
}

/** The `traceparent` of what the request causes later. Undefined when the request has no trace. */
export function currentTraceparent(): string | undefined {
  const trace = scopes.getStore()?.trace
  return trace && renderTraceparent(trace)
}
