/**
 * Spans, the header that carries the identity of one between services (W3C Trace Context, `traceparent`), and the request to whose trace
 * the running code belongs.
 */

import { randomBytes } from 'node:crypto'
import { AsyncLocalStorage } from 'node:async_hooks'

export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether the spans of the trace are exported. */
  readonly isSampled: boolean
}

export type Attributes = Readonly<Record<string, string | number | undefined>>

export interface TraceSpan {
  readonly context: TraceContext
  readonly parentSpanId: string | undefined
  /** A span of another trace that caused this one. */
  readonly link?: TraceContext
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** In milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly isError: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const RANDOM_DIGITS = 19
/** A number has 52 bits of a fraction. */
const FRACTION_DIGITS = 13
const FRACTION = 2 ** 52
const ZEROS = /^0+$/
const SAMPLED = 1

/** Returns undefined for a header that is absent or invalid. A later version may have further parts, which are ignored. */
export function parseTraceparent(header: string | null | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(header?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

export const renderTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** `fraction` is what `fractionOf` returns for it. */
export const newTraceId = (fraction: number = Math.random()): string =>
  randomBytes(10).toString('hex').slice(0, RANDOM_DIGITS) +
  Math.floor(fraction * FRACTION)
    .toString(16)
    .padStart(FRACTION_DIGITS, '0')

/** The last digits of the id of a trace as a number from 0 to 1: all services that sample the same share decide alike. */
export const fractionOf = (traceId: string): number => Number.parseInt(traceId.slice(-FRACTION_DIGITS), 16) / FRACTION

export const newSpanId = (): string => randomBytes(8).toString('hex')

// What the log and the traces say of a request. The runtime keeps it for the asynchronous work that the request causes.

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
