/** Rows of a CSV file as they are read: any size in flat memory, quotes, line breaks inside cells, any line ending. */

import type { Readable } from 'node:stream'
import { ImportError } from '../import-error'
import { type CsvRow, splitRows } from './split-rows'

export type { CsvRow }

/** A file that can be read from its beginning as often as needed. */
export interface CsvFile {
  readonly delimiter: string
  open(): Readable
}

/** Bounds what an unclosed quote can take. */
const MAX_ROW_CHARACTERS = 16 * 1024 * 1024

/** The header row first; lines without any character are passed over. Throws `ImportError`. */
export async function* readCsv(file: CsvFile): AsyncGenerator<CsvRow> {
  for await (const rows of readRows(file)) yield* rows
}

/** The same rows, as many at a time as a piece of the file completes. Throws `ImportError` for what is no text. */
export async function* readRows({ delimiter, open }: CsvFile): AsyncGenerator<CsvRow[]> {
  const source = open().setEncoding('utf8')
  const rows = splitRows(delimiter)
  let isFirst = true
  let hasOldLineEnds = false
  try {
    for await (const piece of source as AsyncIterable<string>) {
      if (piece.includes('\0')) throw new ImportError(NO_TEXT)
      if (isFirst) hasOldLineEnds = endsLinesWithReturns(piece)
      const text = hasOldLineEnds ? piece.replaceAll('\r', '\n') : piece
      yield rows.take(isFirst ? text.replace(/^\ufeff/, '') : text)
      isFirst = false
      if (rows.waiting() > MAX_ROW_CHARACTERS) throw new ImportError(TOO_LONG)
    }
    const last = rows.end()
    if (!last) throw new ImportError('The file ends inside quotes; a closing quote is missing.')
    yield last
  } finally {
    source.destroy()
  }
}

const TOO_LONG = 'A row is longer than 16 MB; a closing quote may be missing.'
const NO_TEXT = 'The file is not a text; save it as "CSV UTF-8", or convert it with iconv if it is in UTF-16.'

/** As old spreadsheet programs for the Macintosh do; told by the beginning of a file. */
const endsLinesWithReturns = (beginning: string): boolean => !beginning.includes('\n') && /\r[^\n]/.test(beginning)

const DELIMITERS = [',', ';', '\t', '|']

/** The delimiter that the first line has most of, outside quotes; a comma when it has none. */
export function findDelimiter(beginning: string): string {
  // A doubled quote ends a part and begins the next; with an alternative for it, the expression is slow.
  const firstLine = beginning.replace(/"[^"]*(?:"|$)/g, '').split(/[\r\n]/, 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Refuses the beginning of a file that is not UTF-8. */
export function decodeBeginning(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    throw new ImportError('The file is not in UTF-8; save it as "CSV UTF-8" or convert it with iconv.')
  }
}
