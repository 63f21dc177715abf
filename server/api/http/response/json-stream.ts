/** Responses whose text is rendered while it is sent, for pages of many megabytes. Decisions 0084 and 0154. */

import type { ByteWriter } from '#base/text/byte-writer'
import { createSlices } from '#base/timing/in-slices'
import { JsonText } from './answer'
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
    readonly pieces: PieceSource,
    readonly contentType: string = JSON_HEADERS['Content-Type'],
    readonly options: { readonly headers?: Readonly<Record<string, string>>; readonly queryScore?: number } = {},
  ) {}
}

/** A function for pieces that depend on the caller's access at the time when they are rendered. */
type PieceSource = Pieces | ((renew: Renew) => Pieces)

/** The output of a route from JSON text, or from pieces of it. */
export const textAnswer = (text: string | AsyncGenerator<string, void>): JsonText | JsonStream =>
  typeof text === 'string' ? new JsonText(text) : new JsonStream(text)

/** The output of a query, from its whole body or from pieces of it. */
export const queryAnswer = (body: ByteWriter | PieceSource, queryScore: number): JsonText | JsonStream =>
  typeof body === 'object' && 'written' in body
    ? new JsonText(body, { queryScore })
    : new JsonStream(body, undefined, { queryScore })

/** Renders a piece when the client has taken the one before, and stops when the client closes the connection. */
export function jsonStreamResponse(
  output: JsonStream,
  headers: Readonly<Record<string, string>>,
  renew: Renew,
): Response {
  const pieces = typeof output.pieces === 'function' ? output.pieces(renew) : output.pieces
  const encoder = new TextEncoder()
  const pauseAfterSlice = createSlices()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A client that reads fast gets the next piece in the same turn of the event loop.
      await pauseAfterSlice()
      const { value, done } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, {
    headers: { ...headers, ...JSON_HEADERS, ...output.options.headers, 'Content-Type': output.contentType },
  })
}
