/** Sends traces and metrics of this process to the receiver that the settings name. See docs/decisions/traces.md. */

import { createOtlpClient, renderMetrics } from '#base/monitoring/otlp'
import { createTracer, spanTime, type Tracer } from '#base/monitoring/tracer'
import { runPeriodically } from '#base/timing/run-periodically'
import type { Metrics } from '#api/http/monitoring/metrics'
import { VERSION } from '#db/program'
import type { Config } from '#run/config/config'

export interface Telemetry {
  readonly tracer: Tracer
  /** Sends what is left. */
  stop(): Promise<void>
}

/** The default of the specification. */
const METRICS_EVERY_MS = 60_000

type TelemetrySettings = Pick<
  Config,
  | 'otlpEndpoint'
  | 'otlpHeaders'
  | 'otlpServiceName'
  | 'otlpResource'
  | 'otlpSampler'
  | 'otlpSamplerRatio'
  | 'otlpDisabled'
>

/** Returns undefined when the settings name no receiver. `process` is the name of this process. */
export function startTelemetry(settings: TelemetrySettings, process: string, metrics: () => Metrics | undefined) {
  const { otlpEndpoint: endpoint, otlpHeaders: headers = {}, otlpServiceName, otlpResource } = settings
  if (endpoint === undefined || settings.otlpDisabled) return undefined
  const resource = {
    'service.name': 'relata',
    'service.version': VERSION,
    'service.instance.id': process,
    ...otlpResource,
    ...(otlpServiceName !== undefined && { 'service.name': otlpServiceName }),
  }
  const client = createOtlpClient({ endpoint, headers, resource })
  const tracer = createTracer(client, { sampler: settings.otlpSampler, ratio: settings.otlpSamplerRatio })
  const startedAt = performance.timeOrigin
  const sendMetrics = async () => {
    const families = metrics()?.families() ?? []
    await client.send('metrics', () => renderMetrics(resource, families, { startedAt, now: spanTime() }))
  }
  const sending = runPeriodically(METRICS_EVERY_MS, sendMetrics, 'Metrics could not be sent.')
  return {
    tracer,
    async stop() {
      const isSent = sending.stop().then(sendMetrics)
      await Promise.all([tracer.stop(), isSent])
    },
  } satisfies Telemetry
}
