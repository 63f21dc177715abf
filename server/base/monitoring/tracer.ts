/** Decides which requests have a trace, and collects the spans of those for the exporter. See docs/decisions/traces.md. */

import { type OtlpClient, renderSpans } from './otlp'
import {
  type Attributes,
  fractionOf,
  newSpanId,
  newTraceId,
  parseTraceparent,
  runInScope,
  type Span,
  type TraceContext,
} from './trace-context'

export interface BegunSpan {
  readonly context: TraceContext
  /** The span of the caller. */
  readonly parentSpanId: string | undefined
}

export interface Tracer {
  /** Begins the span of a request with this header. Undefined when no span is exported and the caller has no trace. */
  begin(traceparent: string | null): BegunSpan | undefined
  /** Takes a span that ended. One that is not sampled, or that finds the queue full, is dropped. */
  record(span: Span): void
  /** How many spans were sampled and could not be exported, since the start of the process. */
  dropped(): number
  /** Exports what is left. */
  stop(): Promise<void>
}

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export interface Sampling {
  readonly sampler: (typeof SAMPLERS)[number]
  /** Of the samplers with a ratio: from 0 to 1. */
  readonly ratio: number
}

const EXPORT_EVERY_MS = 5_000
const MAX_BATCH = 512
/** Some megabytes. */
const MAX_QUEUED = 8_192

export function createTracer(client: OtlpClient, sampling: Sampling): Tracer {
  const sample = compileSampler(sampling)
  let queue: Span[] = []
  let dropped = 0
  let exporting: Promise<void> | undefined

  async function exportQueued(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH)
      queue = queue.slice(MAX_BATCH)
      const isExported = await client.send('traces', (resource) => renderSpans(resource, batch))
      if (!isExported) dropped += batch.length
    }
  }
  // The client never rejects.
  const startExport = () => (exporting ??= exportQueued().finally(() => (exporting = undefined)))
  const timer = setInterval(() => void startExport(), EXPORT_EVERY_MS)

  return {
    begin(traceparent) {
      const parent = parseTraceparent(traceparent)
      const fraction = parent === undefined ? Math.random() : fractionOf(parent.traceId)
      const isSampled = sample(fraction, parent)
      // Most requests end here, so that what is not sampled costs little.
      if (!isSampled && parent === undefined) return undefined
      const traceId = parent?.traceId ?? newTraceId(fraction)
      return { context: { traceId, spanId: newSpanId(), isSampled }, parentSpanId: parent?.spanId }
    },
    record(span) {
      if (!span.context.isSampled) return
      if (queue.length >= MAX_QUEUED) dropped += 1
      else if (queue.push(span) >= MAX_BATCH) void startExport()
    },
    dropped: () => dropped,
    async stop() {
      clearInterval(timer)
      client.stop()
      await startExport()
    },
  }
}

interface BackgroundWork<T> {
  readonly name: string
  /** Of the request that queued the work; null when it had no trace. Undefined for work that no single request causes. */
  readonly traceparent: string | null | undefined
  readonly workspaceId: string
  readonly attributes: Attributes
  /** Whether work that returned has failed. */
  readonly isFailed?: (result: T) => boolean
}

/**
 * Runs work beside requests. If the request that queued it is sampled, the work is a trace of its own with a link to the request, because it
 * may begin much later, take hours and have thousands of statements. The sampler decides for work that no single request causes.
 */
export async function traceBackgroundWork<T>(
  tracer: Tracer | undefined,
  { name, traceparent, workspaceId, attributes, isFailed = () => false }: BackgroundWork<T>,
  work: () => Promise<T>,
): Promise<T> {
  const link = parseTraceparent(traceparent)
  const context = traceparent === undefined ? tracer?.begin(null)?.context : link && newTraceBeside(link)
  if (tracer === undefined || context?.isSampled !== true) return work()
  const scope = { route: name, workspaceId, clientId: undefined, trace: context, endedAt: undefined }
  const startedAt = spanTime()
  const end = (isError: boolean) =>
    tracer.record({
      context,
      parentSpanId: undefined,
      ...(link !== undefined && { link }),
      name,
      kind: traceparent === undefined ? 'internal' : 'consumer',
      startedAt,
      endedAt: spanTime(),
      attributes: { 'relata.workspace_id': workspaceId, ...attributes },
      isError,
    })
  try {
    const result = await runInScope(scope, work)
    end(isFailed(result))
    return result
  } catch (error) {
    end(true)
    throw error
  }
}

/** Services that sample by the id decide for both traces alike. */
const newTraceBeside = ({ traceId, isSampled }: TraceContext): TraceContext => ({
  traceId: newTraceId(fractionOf(traceId)),
  spanId: newSpanId(),
  isSampled,
})

/** The samplers of the specification of OpenTelemetry (Built-in samplers). */
function compileSampler({ sampler, ratio }: Sampling): (fraction: number, parent: TraceContext | undefined) => boolean {
  const root = sampler.replace('parentbased_', '')
  const share = root === 'traceidratio' ? ratio : root === 'always_on' ? 1 : 0
  const isParentBased = root !== sampler
  return (fraction, parent) => (isParentBased && parent !== undefined ? parent.isSampled : fraction < share)
}

/** The present time as spans have it. */
export const spanTime = (): number => performance.timeOrigin + performance.now()
