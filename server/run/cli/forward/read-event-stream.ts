/** Reads the data of server-sent events, one message at a time. */

import { createParser } from 'eventsource-parser'
import { withTimeout } from '#base/timing/with-timeout'

/** The service sends a comment every 15 seconds. */
const MAX_SILENCE_MS = 45_000
/** A request of a test endpoint has a body of at most 256 kB; each byte takes at most six characters in JSON. */
const MAX_MESSAGE_LENGTH = 4_000_000

/** Ends with the connection, when it is silent for too long, or when a message is too long. */
export async function* readEventStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const messages: string[] = []
  const tooLong = new AbortController()
  const parser = createParser({
    onEvent: ({ data }) => void messages.push(data),
    onError: ({ type }) => type === 'max-buffer-size-exceeded' && tooLong.abort(),
    maxBufferSize: MAX_MESSAGE_LENGTH,
  })
  try {
    while (!tooLong.signal.aborted) {
      const read = await withTimeout(reader.read(), MAX_SILENCE_MS).catch(() => undefined)
      if (read === undefined || read.done) return
      parser.feed(decoder.decode(read.value, { stream: true }))
      yield* messages.splice(0)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
