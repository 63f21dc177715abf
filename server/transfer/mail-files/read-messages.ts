import { readLines } from './read-lines'
import { collectHeaders, type HeaderCollector, type RawMessage } from './raw-message'
import { ImportError } from '#transfer/import/import-context'

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

/** Reads the headers of a file with one message, and stops at its body. */
async function readMessageFile(chunks: AsyncIterable<readonly Uint8Array[]>): Promise<RawMessage> {
  const headers = collectHeaders(1)
  for await (const lines of chunks) {
    const end = lines.findIndex((line) => line.length === 0)
    for (const line of end === -1 ? lines : lines.slice(0, end)) headers.add(line)
    if (end !== -1) break
  }
  return headers.finish()
}

/**
 * Splits an mbox file into messages. A line that begins with `From ` and ends in a time, at the start of the file or after an
 * empty line, begins a message. Such a line of a body has a `>` before it in the variant mboxrd.
 */
const SEPARATOR = /^From .*?\b\d{1,2}:\d\d(?::\d\d)?\b/
const YEAR = /\b\d{4}\b/
const F = 70
/** A longer line is no separator. */
const MAX_SEPARATOR_BYTES = 1000

/** Yields the messages that end their headers in the lines of a chunk. Throws `ImportError` for a file in another format. */
async function* splitMbox(chunks: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<RawMessage[]> {
  const splitter = createSplitter()
  for await (const lines of chunks) {
    const messages = lines.flatMap((line) => splitter.take(line))
    if (messages.length > 0) yield messages
  }
  const last = splitter.finish()
  if (last !== undefined) yield [last]
}

interface Splitter {
  /** Returns the message whose headers the line ends, if any. */
  take(line: Uint8Array): RawMessage[]
  /** Returns the message whose headers the file ends. */
  finish(): RawMessage | undefined
}

function createSplitter(): Splitter {
  const state = { line: 0, isAfterEmptyLine: true, hasMessages: false }
  let headers: HeaderCollector | undefined

  function begin(separator: string): void {
    headers = collectHeaders(state.line, separator)
    state.hasMessages = true
  }

  function end(): RawMessage[] {
    const message = headers?.finish()
    headers = undefined
    return message === undefined ? [] : [message]
  }

  return {
    take(line) {
      state.line++
      const separator = state.isAfterEmptyLine ? separatorOf(line) : undefined
      const isEmpty = line.length === 0
      state.isAfterEmptyLine = isEmpty
      if (separator !== undefined) {
        begin(separator)
        return []
      }
      if (!state.hasMessages && !isEmpty) throw notMbox()
      if (isEmpty) return end()
      headers?.add(line)
      return []
    },
    finish: () => end()[0],
  }
}

function separatorOf(line: Uint8Array): string | undefined {
  if (line[0] !== F || line.length > MAX_SEPARATOR_BYTES) return undefined
  const text = Buffer.from(line).toString('latin1')
  const upToTime = SEPARATOR.exec(text)?.[0]
  return upToTime !== undefined && YEAR.test(text.slice(upToTime.length)) ? text : undefined
}

const notMbox = () => new ImportError('The file does not begin with a "From " line, so it is not an mbox file.')
