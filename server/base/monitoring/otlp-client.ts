/** Sends traces and metrics to a receiver of OTLP over HTTP, as JSON. What the receiver does not take is dropped. */

import { logLine } from '#base/logging/log-error'
import type { Attributes } from './trace-context'

export type Signal = 'traces' | 'metrics'

export interface OtlpClient {
  /** Sends what `render` returns for the resource. Returns whether the receiver took it; never rejects. */
  send(signal: Signal, render: (resource: Attributes) => unknown): Promise<boolean>
  /** Ends all requests two seconds later, those that begin after that at once. */
  stop(): void
}

export interface OtlpOptions {
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
