/** Server-sent events, read with `fetch`: `EventSource` cannot send headers. */

import { api } from './client'
import { type ApiError, toApiError } from './errors'

export interface StreamMessage {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

export interface StreamListener {
  /** The stream connected, or connected again. Messages may have been missed in between. */
  onopen(): void
  onmessage(message: StreamMessage): void
  /** The connection closed, and a retry follows. */
  ondisconnect(): void
  /** The service refused the request. There is no retry. */
  onrefused(error: ApiError): void
}

/** The delay before each retry. Later retries use the last one. */
const RETRY_DELAYS_MS = [500, 1000, 2000, 5000, 10_000]

/**
 * Follows a stream until the signal is aborted, from now on or after `lastEventId`. After a disconnect it continues after the last message
 * that it received.
 */
export async function followStream(
  path: string,
  listener: StreamListener,
  signal: AbortSignal,
  lastEventId?: string,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const response = await api.open(path, { signal, lastEventId })
      failures = 0
      listener.onopen()
      for await (const message of messagesIn(response)) {
        lastEventId = message.id ?? lastEventId
        listener.onmessage(message)
      }
    } catch (error) {
      const { status } = toApiError(error)
      if (status >= 400 && status < 500 && status !== 429) return listener.onrefused(toApiError(error))
    }
    if (signal.aborted) return
    listener.ondisconnect()
    await pause(RETRY_DELAYS_MS[Math.min(failures++, RETRY_DELAYS_MS.length - 1)] ?? 0, signal)
  }
}

async function* messagesIn({ body }: Response): AsyncGenerator<StreamMessage> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const message = parseMessage(block)
        if (message !== undefined) yield message
      }
    }
  } finally {
    // A listener that throws ends the loop while the connection is open.
    await reader.cancel().catch(() => {})
  }
}

/** Undefined for comments, which keep the connection alive. */
export function parseMessage(block: string): StreamMessage | undefined {
  const data: string[] = []
  let id: string | undefined
  let event = 'message'
  for (const line of block.split('\n')) {
    const [, name, text = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    if (name === 'data') data.push(text)
    else if (name === 'event') event = text
    else if (name === 'id') id = text
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
