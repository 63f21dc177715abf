/** Responses whose text is rendered while it is sent, for pages of many megabytes. Decision 0084. */

import { JSON_HEADERS } from './headers'

/** The output of a route that answers with such a text. A piece that fails ends the connection, because the status is sent. */
export class JsonStream {
  constructor(
    readonly pieces: Pick<AsyncGenerator<string, void, void>, 'next' | 'return'>,
    readonly contentType: string = JSON_HEADERS['Content-Type'],
  ) {}
}

/** Renders a piece when the client has taken the one before, and stops when the client closes the connection. */
export function jsonStreamResponse(
  { pieces, contentType }: JsonStream,
  headers: Readonly<Record<string, string>>,
): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, { headers: { ...headers, ...JSON_HEADERS, 'Content-Type': contentType } })
}
