/** Answers that go on: server-sent events, for as long as the one who asked may hear them. */

import type { ApiContext } from '../../context'
import { withTimeout } from '../../timing/with-timeout'

/** One message. `data` is sent as JSON text already made. */
export interface StreamMessage {
  /** What the client names when it comes back, as `Last-Event-ID`. */
  readonly id?: string
  readonly event?: string
  readonly data: string
  /** Whether the caller, as of now, may see it; it is left out otherwise. Absent: it is for whoever may ask. */
  readonly isVisible?: (context: ApiContext) => boolean
}

/** The call as its caller may make it now: with the scopes of now. Undefined when they may not make it any more. */
export type Renew = () => Promise<ApiContext | undefined>

/** Gives messages until `signal` says that nobody listens any more. */
export type StreamSource = (signal: AbortSignal, renew: Renew) => AsyncGenerator<StreamMessage, void, void>

/** What a route hands back to answer with a stream. */
export class EventStream {
  constructor(readonly source: StreamSource) {}
}

/** More often than anything between us and the client loses patience, and often enough to notice a revoked token. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT = ':\n\n'

/** The call is renewed before whatever is sent; the stream ends when it cannot be, or when the service stops. */
export function streamResponse(
  { source }: EventStream,
  headers: Readonly<Record<string, string>>,
  renew: Renew,
  stopping?: AbortSignal,
): Response {
  const ended = new AbortController()
  const stop = () => ended.abort()
  stopping?.addEventListener('abort', stop, { once: true })
  const messages = source(ended.signal, renew)
  let next: Promise<IteratorResult<StreamMessage, void>> | undefined
  const bytes = new TextEncoder()
  const end = async () => {
    stopping?.removeEventListener('abort', stop)
    ended.abort()
    await messages.return()
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // It listens before anybody knows that it does, so that what is read afterwards and what it tells leave no gap.
      next = messages.next()
      next.catch(() => undefined) // whoever pulls is told
      // Whoever reads the headers knows at once that it works.
      controller.enqueue(bytes.encode(HEARTBEAT))
    },
    async pull(controller) {
      for (;;) {
        next ??= messages.next()
        const found = await withTimeout(next, HEARTBEAT_MS)
        if (found !== undefined) next = undefined
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
