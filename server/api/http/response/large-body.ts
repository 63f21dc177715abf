/**
 * Makes responses with large bodies.
 *
 * After an `await`, Bun 1.4 sends the head of a response with a body of 15 kB or more in some sixty pieces, each by a system call
 * (oven-sh/bun 41341): that takes longer than to send 165 kB. It sends the head and the body of a direct stream at once, with a
 * `Content-Length`, when the stream ends in its only `pull` and is shorter than its high-water mark. Decision 0131.
 *
 * Pieces of many megabytes are sent one after the other, because to encode them at once would hold the event loop.
 */

import { createSlices } from '#base/timing/in-slices'

type Bytes = Uint8Array<ArrayBuffer>
/** Pieces of text are joined only when they are sent, because they may have megabytes. */
type Body = string | readonly string[] | Bytes

/** Bun copies a shorter body behind the head. */
const MIN_LARGE_LENGTH = 15_000
/** A UTF-16 unit takes at most three bytes. */
const MAX_BYTES_OF_UNIT = 3

/** To encode and send so many characters takes milliseconds. */
const MAX_CHARACTERS_AT_ONCE = 4_000_000

const ignore = (): void => {}

/** `afterSent` is called once the bytes may change. It is not called when the client closes the connection before. */
export function respondWith(
  { method }: Pick<Request, 'method'>,
  body: Body,
  init: ResponseInit,
  afterSent: () => void = ignore,
): Response {
  if (isVeryLarge(body)) return new Response(streamOfPieces(body), init)
  // The response to HEAD needs a length, which a stream has only when it is sent.
  if (lengthOf(body) >= MIN_LARGE_LENGTH && method !== 'HEAD') return new Response(streamOf(body, afterSent), init)
  const response = new Response(isPieces(body) ? body.join('') : body, init) // copies the bytes
  afterSent()
  return response
}

/** Such a body must be encoded piece by piece. */
export const isVeryLarge = (body: Body | object): body is readonly string[] =>
  Array.isArray(body) && lengthOf(body) > MAX_CHARACTERS_AT_ONCE

function streamOfPieces(pieces: readonly string[]): ReadableStream {
  const encoder = new TextEncoder()
  const pauseAfterSlice = createSlices()
  const left = pieces.values()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pauseAfterSlice()
      const { value, done } = left.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

const isPieces = (body: Body): body is readonly string[] => Array.isArray(body)

const lengthOf = (body: Body): number =>
  isPieces(body) ? body.reduce((sum, piece) => sum + piece.length, 0) : body.length

function streamOf(body: Body, afterSent: () => void): ReadableStream {
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    pull(controller) {
      for (const piece of isPieces(body) ? body : [body]) void controller.write(piece)
      void controller.close()
      // `response.text()` reads the bytes in a microtask.
      setImmediate(afterSent)
    },
  }
  // The types of browsers lack direct streams.
  return new ReadableStream(source as never, { highWaterMark: MAX_BYTES_OF_UNIT * lengthOf(body) + 1 })
}
