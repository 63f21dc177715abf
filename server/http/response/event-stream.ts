/** Responses of server-sent events. A stream ends when its caller loses access. */

import type { ApiContext } from '../../context'
import { CHANGED, createChangeSignal } from './change-signal'
import { withTimeout } from '../../timing/with-timeout'

/** One message. `data` is JSON text. */
export interface StreamMessage {
  /** The client sends it as `Last-Event-ID` when it connects again. */
  readonly id?: string
  readonly event?: string
  readonly data: string
  /** Whether the caller's present access allows the message. Without it, every caller of the route gets it. */
  readonly isVisible?: (context: ApiContext) => boolean
}

/** Makes the context with the caller's present scopes. Returns undefined when the caller has lost access. */
export type Renew = () => Promise<ApiContext | undefined>

/** Yields messages until `signal` is aborted. */
export type StreamSource = (signal: AbortSignal, renew: Renew) => AsyncGenerator<StreamMessage, void, void>

/** The output of a route that answers with a stream. */
export class EventStream {
  constructor(readonly source: StreamSource) {}
}

/** Shorter than the idle timeouts of proxies, and short enough to notice a revoked token. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT = ':\n\n'

export interface StreamLife {
  /** Aborted when the service stops. */
  readonly stopping?: AbortSignal | undefined
  /** Calls a function when the caller may have lost access. Returns a function that ends the calls. */
  readonly onAccessChange?: (notify: () => void) => () => void
}

/**
 * Renews the context before each message, and when the caller may have lost access. The stream ends when that fails, or when
 * the service stops.
 */
export function streamResponse(
  { source }: EventStream,
  headers: Readonly<Record<string, string>>,
  renew: Renew,
  { stopping, onAccessChange }: StreamLife = {},
): Response {
  const ended = new AbortController()
  const stop = () => ended.abort()
  stopping?.addEventListener('abort', stop, { once: true })
  const messages = source(ended.signal, renew)
  const changes = createChangeSignal()
  const stopListening = onAccessChange?.(changes.notify)
  let next: Promise<IteratorResult<StreamMessage, void>> | undefined
  const bytes = new TextEncoder()
  const end = async () => {
    stopping?.removeEventListener('abort', stop)
    stopListening?.()
    changes.end()
    ended.abort()
    await messages.return()
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The source starts to listen before the response begins, so the client misses nothing that happens after its headers.
      next = messages.next()
      next.catch(() => undefined) // `pull` awaits the same promise and gets the error
      // Bun sends the headers with the first bytes of the body.
      controller.enqueue(bytes.encode(HEARTBEAT))
    },
    async pull(controller) {
      for (;;) {
        next ??= messages.next()
        const found = await withTimeout(Promise.race([next, changes.next()]), HEARTBEAT_MS)
        if (found !== undefined && found !== CHANGED) next = undefined
        if (found === CHANGED) {
          changes.clear()
          if ((await renew()) !== undefined) continue
          await end()
          return controller.close()
        }
        const context = found?.done === true ? undefined : await renew()
        if (found?.done === true || context === undefined) {
          await end()
          return controller.close()
        }
        if (found?.value.isVisible?.(context) === false) continue
        return controller.enqueue(bytes.encode(found === undefined ? HEARTBEAT : render(found.value)))
      }
    },
    cancel: end,
  })
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    },
  })
}

const render = ({ id, event, data }: StreamMessage): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`
