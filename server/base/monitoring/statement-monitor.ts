/** What the log and the traces have of statements: their text without values, never their parameters. */

import { type StatementEnd, type StatementMonitor, withoutLiterals } from '#db/driver/measure-statements'
import { createLru } from '#base/caching/caching'
import { errorCodeOf, logLine } from '#base/logging/log-error'
import { currentScope, newSpanId, type RequestScope } from './trace-context'
import type { Tracer } from './tracer'

interface StatementMonitorOptions {
  /** Exports a span for each statement of a request with a trace. */
  readonly tracer?: Tracer | undefined
  /** From how many milliseconds on the log has a statement. */
  readonly slowMs?: number | undefined
}

/** Work that a request began may go on after its response, and not for ever: a span later than this has no parent to see it with. */
const MAX_AFTER_END_MS = 60_000
const MAX_CACHED = 1000
const OF_A_CALLER = 'SQL of a caller'

/** A statement begins when it is asked for, so that its duration includes the wait for a connection. */
export function createStatementMonitor({
  tracer,
  slowMs = Number.POSITIVE_INFINITY,
}: StatementMonitorOptions): StatementMonitor {
  const shownTexts = createLru<string, string>(MAX_CACHED)
  const shownText = (text: string): string => {
    const shown = shownTexts.get(text) ?? withoutLiterals(text)
    shownTexts.set(text, shown)
    return shown
  }

  function end(scope: RequestScope | undefined, startedAt: number, { text, error }: StatementEnd): void {
    const endedAt = performance.now()
    if (endedAt - startedAt >= slowMs)
      logLine('warning', 'A statement was slow.', {
        ms: Math.round(endedAt - startedAt),
        statement: text === undefined ? OF_A_CALLER : shownText(text),
        route: scope?.route,
        workspace_id: scope?.workspaceId,
        trace_id: scope?.trace?.traceId,
      })
    if (tracer === undefined || !isTraced(scope, startedAt)) return
    const shown = text === undefined ? OF_A_CALLER : shownText(text)
    tracer.record({
      context: { ...scope.trace, spanId: newSpanId() },
      parentSpanId: scope.trace.spanId,
      name: text === undefined ? OF_A_CALLER : operationOf(shown),
      kind: 'client',
      startedAt: performance.timeOrigin + startedAt,
      endedAt: performance.timeOrigin + endedAt,
      attributes: {
        'db.system.name': 'postgresql',
        'db.query.text': text === undefined ? undefined : shown,
        'db.response.status_code': errorCodeOf(error),
      },
      isError: error !== undefined,
    })
  }

  return () => {
    const scope = currentScope()
    if (slowMs === Number.POSITIVE_INFINITY && scope?.trace?.isSampled !== true) return undefined
    const startedAt = performance.now()
    return (statementEnd) => end(scope, startedAt, statementEnd)
  }
}

type TracedScope = RequestScope & { readonly trace: NonNullable<RequestScope['trace']> }

const isTraced = (scope: RequestScope | undefined, at: number): scope is TracedScope =>
  scope?.trace?.isSampled === true && at - (scope.endedAt ?? at) < MAX_AFTER_END_MS

const operationOf = (text: string): string => /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement'
