import { readLines } from './read-lines'
import { readMessageFile } from './read-message-file'
import type { RawMessage } from './raw-message'
import { splitMbox } from './split-mbox'

/**
 * The messages of a file: one of an `.eml` file, those of an mbox file of any other. Throws `ImportError` for another format, and the reason
 * of `signal` when that is aborted.
 */
export async function* readMessages(
  fileName: string,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<readonly RawMessage[]> {
  const lines = readLines(bytes, signal)
  if (/\.eml$/i.test(fileName)) yield [await readMessageFile(lines)]
  else yield* splitMbox(lines)
}
