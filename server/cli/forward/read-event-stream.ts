/** Reads the data of server-sent events, one message at a time. */

import { withTimeout } from '../../timing/with-timeout'

/** The service sends a comment every 15 seconds. */
const MAX_SILENCE_MS = 45_000

/** Ends with the connection, or when it is silent for too long. */
export async function* readEventStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const read = await withTimeout(reader.read(), MAX_SILENCE_MS).catch(() => undefined)
      if (read === undefined || read.done) return
      const blocks = (rest + decoder.decode(read.value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = dataOf(block)
        if (data !== undefined) yield data
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/** Undefined for comments, which only keep the connection alive. */
function dataOf(block: string): string | undefined {
  const lines = block.split('\n').filter((line) => line.startsWith('data:'))
  return lines.length === 0 ? undefined : lines.map((line) => line.slice('data:'.length).trimStart()).join('\n')
}
