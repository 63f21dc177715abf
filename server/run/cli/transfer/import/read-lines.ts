/** Reads a file as lines. Memory holds one line and one chunk. */

import { DamagedExport, readChunks } from './open-file'

export interface ExportLine {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** No line of an export is longer: PostgreSQL takes no larger value of JSON, and the service no larger body. */
const MAX_LINE_BYTES = 128 * 1024 * 1024

const NEWLINE = 10

export async function* readExportLines(
  folder: string,
  name: string,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<ExportLine> {
  let number = 1
  let pieces: Uint8Array[] = []
  let length = 0
  const add = (piece: Uint8Array) => {
    length += piece.length
    if (length > maxBytes) throw new DamagedExport(name, `the line is longer than ${maxBytes} bytes.`, number)
    pieces.push(piece)
  }
  const end = (): ExportLine => {
    const line = { number, text: decode(pieces, name, number) }
    number++
    pieces = []
    length = 0
    return line
  }
  for await (const chunk of readChunks(folder, name)) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      yield end()
    }
    if (from < chunk.length) add(chunk.slice(from))
  }
  if (length > 0) yield end()
}

function decode(pieces: readonly Uint8Array[], name: string, number: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
  } catch {
    throw new DamagedExport(name, 'the line is not UTF-8.', number)
  }
}
