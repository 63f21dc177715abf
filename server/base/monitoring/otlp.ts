/**
 * Sends traces and metrics to a receiver of OTLP over HTTP, as JSON. What the receiver does not take is dropped.
 * See https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
 */
import { logLine } from '#base/logging/log-error'
import type { HistogramFamily, MetricFamily, NumberFamily } from './metric-families'
import type { Attributes, Span } from './trace-context'

type Signal = 'traces' | 'metrics'

export interface OtlpClient {
  /** Sends what `render` returns for the resource. Returns whether the receiver took it; never rejects. */
  send(signal: Signal, render: (resource: Attributes) => unknown): Promise<boolean>
  /** Ends all requests two seconds later, those that begin after that at once. */
  stop(): void
}

interface OtlpOptions {
  /** Without a slash at its end. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** What the telemetry is about: the service and its process. */
  readonly resource: Attributes
  readonly timeoutMs?: number
}

/** The default of the specification. */
const TIMEOUT_MS = 10_000
const STOP_TIMEOUT_MS = 2_000

export function createOtlpClient({ endpoint, headers, resource, timeoutMs = TIMEOUT_MS }: OtlpOptions): OtlpClient {
  /** The signals whose last request failed. The log has one warning for each time that this begins. */
  const failing = new Set<Signal>()
  const stopping = new AbortController()

  async function post(signal: Signal, render: (resource: Attributes) => unknown): Promise<void> {
    const response = await fetch(`${endpoint}/v1/${signal}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(render(resource)),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal]),
      redirect: 'manual',
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver answered ${response.status}.`)
  }

  return {
    async send(signal, render) {
      try {
        await post(signal, render)
        failing.delete(signal)
        return true
      } catch (error) {
        if (!failing.has(signal))
          logLine('warning', `The receiver of OTLP takes no ${signal}; they are dropped.`, { error: messageOf(error) })
        failing.add(signal)
        return false
      }
    },
    stop() {
      setTimeout(() => stopping.abort(), STOP_TIMEOUT_MS).unref()
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const SCOPE = { name: 'relata' }
const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const STATUS_ERROR = { code: 2 }
const CUMULATIVE = 2

export const renderSpans = (resource: Attributes, spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: SCOPE, spans: spans.map(renderSpan) }],
    },
  ],
})

const renderSpan = ({ context, parentSpanId, link, name, kind, startedAt, endedAt, attributes, isError }: Span) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  ...(link !== undefined && { links: [{ traceId: link.traceId, spanId: link.spanId }] }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanos(startedAt),
  endTimeUnixNano: nanos(endedAt),
  attributes: attributesOf(attributes),
  ...(isError && { status: STATUS_ERROR }),
})

/** `startedAt` is when the counters began. */
export const renderMetrics = (
  resource: Attributes,
  families: readonly MetricFamily[],
  times: { readonly startedAt: number; readonly now: number },
) => ({
  resourceMetrics: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeMetrics: [
        {
          scope: SCOPE,
          metrics: families.map((family) => ({
            name: family.name,
            description: family.help,
            ...(family.type === 'histogram' ? histogramOf(family, times) : numbersOf(family, times)),
          })),
        },
      ],
    },
  ],
})

type Times = Parameters<typeof renderMetrics>[2]

function numbersOf({ type, samples }: NumberFamily, times: Times) {
  const dataPoints = samples.map(({ labels, value }) => ({
    attributes: attributesOf(labels),
    ...pointTimes(times),
    asDouble: value,
  }))
  if (type === 'gauge') return { gauge: { dataPoints } }
  return { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
}

const histogramOf = ({ bounds, samples }: HistogramFamily, times: Times) => ({
  histogram: {
    aggregationTemporality: CUMULATIVE,
    dataPoints: samples.map(({ labels, counts, sum }) => ({
      attributes: attributesOf(labels),
      ...pointTimes(times),
      count: String(counts.reduce((total, count) => total + count, 0)),
      sum,
      bucketCounts: counts.map(String),
      explicitBounds: bounds,
    })),
  },
})

const pointTimes = ({ startedAt, now }: Times) => ({ startTimeUnixNano: nanos(startedAt), timeUnixNano: nanos(now) })

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]))

function valueOf(value: string | number) {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Whole microseconds, because a number cannot have the nanoseconds since 1970. */
const nanos = (millis: number): string => `${Math.round(millis * 1000)}000`
