import { readLines } from './read-lines'
import { readMessageFile } from './read-message-file'
import type { RawMessage } from './raw-message'
import { splitMbox } from './split-mbox'

/** The messages of a file: one of an `.eml` file, those of an mbox file of any other. Throws `ImportError` for another format. */
export async function* readMessages(
  fileName: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly RawMessage[]> {
  const lines = readLines(bytes)
  if (/\.eml$/i.test(fileName)) yield [await readMessageFile(lines)]
  else yield* splitMbox(lines)
}
