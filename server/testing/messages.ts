/** Reads the messages of a stream of server-sent events, one at a time. */

import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'

export interface Messages {
  /** Returns the fields of the next message. Throws when the stream has ended. */
  next(): Promise<EventSourceMessage>
  close(): Promise<void>
}

export function messagesOf(response: Response): Messages {
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  return {
    async next() {
      const read = await reader?.read()
      if (read?.value === undefined) throw new Error('The stream ended.')
      return read.value
    },
    close: async () => reader?.cancel(),
  }
}
