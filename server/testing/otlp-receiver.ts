/** A receiver of OTLP over HTTP for tests. */

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[]
  readonly status?: { readonly code: number }
}

export interface OtlpReceiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** The names of the metrics of each request. */
  readonly metrics: string[][]
  readonly requests: { readonly path: string; readonly headers: Headers; readonly text: string }[]
  /** What it answers; a promise that is not settled lets it hang. */
  respond: (path: string) => Response | Promise<Response>
  close(): Promise<void>
}

export function startOtlpReceiver(): OtlpReceiver {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text()
      const path = new URL(request.url).pathname
      receiver.requests.push({ path, headers: request.headers, text })
      const response = await receiver.respond(path)
      if (!response.ok) return response
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(text)
      for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) receiver.spans.push(...spans)
      for (const { scopeMetrics } of resourceMetrics)
        for (const { metrics } of scopeMetrics) receiver.metrics.push(metrics.map(({ name }: { name: string }) => name))
      return response
    },
  })
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${server.port}`,
    spans: [],
    metrics: [],
    requests: [],
    respond: () => Response.json({}),
    close: () => server.stop(true),
  }
  return receiver
}

export const attributeOf = ({ attributes }: ReceivedSpan, name: string): string | number | undefined =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]
