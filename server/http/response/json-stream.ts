/** Responses whose text is rendered while it is sent, for pages of many megabytes. Decision 0084. */

import type { Renew } from './event-stream'
import { JSON_HEADERS } from './headers'

/** Text, or bytes in UTF-8. */
interface Pieces {
  next(): Promise<IteratorResult<string | Uint8Array, void>>
  return(): Promise<unknown>
}

/** The output of a route that answers with such a text. A piece that fails ends the connection, because the status is sent. */
export class JsonStream {
  constructor(
    /** A function for pieces that depend on the caller's access at the time when they are rendered. */
    readonly pieces: Pieces | ((renew: Renew) => Pieces),
    readonly contentType: string = JSON_HEADERS['Content-Type'],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Renders a piece when the client has taken the one before, and stops when the client closes the connection. */
export function jsonStreamResponse(
  output: JsonStream,
  headers: Readonly<Record<string, string>>,
  renew: Renew,
): Response {
  const pieces = typeof output.pieces === 'function' ? output.pieces(renew) : output.pieces
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, {
    headers: { ...headers, ...JSON_HEADERS, ...output.headers, 'Content-Type': output.contentType },
  })
}
