import { collectHeaders, type RawMessage } from './raw-message'

/** Reads the headers of a file with one message, and stops at its body. */
export async function readMessageFile(chunks: AsyncIterable<readonly Uint8Array[]>): Promise<RawMessage> {
  const headers = collectHeaders(1)
  for await (const lines of chunks) {
    const end = lines.findIndex((line) => line.length === 0)
    for (const line of end === -1 ? lines : lines.slice(0, end)) headers.add(line)
    if (end !== -1) break
  }
  return headers.finish()
}
