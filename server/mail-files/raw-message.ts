/** The headers of a message of a file, before they are parsed. Bodies are never collected. */

/** Larger headers are cut after this many bytes. */
const MAX_HEADER_BYTES = 256 * 1024

export interface RawMessage {
  /** The line of the file with which the message begins. */
  readonly line: number
  readonly headers: Uint8Array
  /** Whether the headers are longer than those that were read. */
  readonly isCut: boolean
  /** The name of the file, where several are imported. */
  readonly file?: string
  /** The line that stands before a message of an mbox file. */
  readonly separator?: string
}

export interface HeaderCollector {
  add(line: Uint8Array): void
  finish(): RawMessage
}

export function collectHeaders(line: number, separator?: string): HeaderCollector {
  const lines: Uint8Array[] = []
  let bytes = 0
  let isCut = false
  return {
    add(text) {
      bytes += text.length + 1
      if (bytes > MAX_HEADER_BYTES) isCut = true
      else lines.push(text, NEW_LINE)
    },
    finish: () => ({
      line,
      headers: Buffer.concat(lines),
      isCut,
      ...(separator === undefined ? {} : { separator }),
    }),
  }
}

const NEW_LINE = Buffer.from('\n')
