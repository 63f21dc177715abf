/** Responses of server-sent events. A stream ends when its caller loses access. */

import type { ApiContext } from '#context'
import { withTimeout } from '#base/timing/wait'

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
  /** Is called when the stream has ended. */
  readonly onEnd?: (() => void) | undefined
}

/**
 * Renews the context before each message, and when the caller may have lost access. The stream ends when that fails, or when
 * the service stops.
 */
export function streamResponse(
  { source }: EventStream,
  headers: Readonly<Record<string, string>>,
  renew: Renew,
  { stopping, onAccessChange, onEnd }: StreamLife = {},
): Response {
  const ended = new AbortController()
  const stop = () => ended.abort()
  stopping?.addEventListener('abort', stop, { once: true })
  const messages = source(ended.signal, renew)
  const changes = createChangeSignal()
  const stopListening = onAccessChange?.(changes.notify)
  const reader = createTextReader(messages, renew, changes)
  const bytes = new TextEncoder()
  const end = async () => {
    onEnd?.()
    stopping?.removeEventListener('abort', stop)
    stopListening?.()
    changes.end()
    ended.abort()
    await messages.return()
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      reader.start()
      // Bun sends the headers with the first bytes of the body.
      controller.enqueue(bytes.encode(HEARTBEAT))
    },
    async pull(controller) {
      const text = await reader.read().catch(async (error: unknown) => {
        await end()
        throw error
      })
      if (text !== undefined) return controller.enqueue(bytes.encode(text))
      await end()
      controller.close()
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

/** Reads the texts of a stream: its visible messages, and heartbeats while there are none. */
function createTextReader(messages: ReturnType<StreamSource>, renew: Renew, changes: ChangeSignal) {
  let next: Promise<IteratorResult<StreamMessage, void>> | undefined
  return {
    /** The source starts to listen before the response begins, so the client misses nothing that happens after its headers. */
    start() {
      next = messages.next()
      next.catch(() => undefined) // `read` awaits the same promise and gets the error
    },
    /** Undefined when the source has ended, or when the caller has lost access. */
    async read(): Promise<string | undefined> {
      for (;;) {
        next ??= messages.next()
        const found = await withTimeout(Promise.race([next, changes.next()]), HEARTBEAT_MS)
        if (found === CHANGED) changes.clear()
        else if (found !== undefined) next = undefined
        if (found !== CHANGED && found?.done === true) return undefined
        const context = await renew()
        if (context === undefined) return undefined
        if (found === undefined) return HEARTBEAT
        if (found !== CHANGED && found.value.isVisible?.(context) !== false) return render(found.value)
      }
    },
  }
}

const render = ({ id, event, data }: StreamMessage): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`

/** A signal that something may have changed. Many notifications in a short time are one signal. */

const CHANGED = Symbol('changed')

const DELAY_MS = 250

interface ChangeSignal {
  notify(): void
  /** Resolves after a notification, until `clear` is called. */
  next(): Promise<typeof CHANGED>
  clear(): void
  /** Cancels a pending notification. */
  end(): void
}

function createChangeSignal(): ChangeSignal {
  let isChanged = false
  let resolve: ((changed: typeof CHANGED) => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const deliver = () => {
    timer = undefined
    isChanged = true
    resolve?.(CHANGED)
  }
  return {
    notify() {
      timer ??= setTimeout(deliver, DELAY_MS)
    },
    next() {
      if (isChanged) return Promise.resolve(CHANGED)
      const signal = Promise.withResolvers<typeof CHANGED>()
      resolve = signal.resolve
      return signal.promise
    },
    clear() {
      isChanged = false
    },
    end: () => clearTimeout(timer),
  }
}
