/**
 * Reads the rows of a CSV file of any size in constant memory, with quotes, line breaks inside cells and any line ending; or the header
 * and a sample of the values of each column, from the first rows.
 */
import type { Readable } from 'node:stream'
import { ImportError } from '#transfer/import/import-context'
import type { SampledColumn } from '#transfer/import/mapping/propose-mapping'
import { type CsvRow, MAX_COLUMNS, splitRows } from './split-rows'

export type { CsvRow }

/** A file that can be opened as often as needed. */
export interface CsvFile {
  readonly delimiter: string
  open(): Readable
}

/** Limits the memory that an unclosed quote can take. */
const MAX_ROW_CHARACTERS = 16 * 1024 * 1024

/** Reads the header first and passes over empty lines. Throws `ImportError`. */
export async function* readCsv(file: CsvFile): AsyncGenerator<CsvRow> {
  for await (const rows of readCsvRows(file)) yield* rows
}

/** Reads the same rows in chunks: the rows that one piece of the file completes. Throws `ImportError` for a binary file. */
async function* readCsvRows({ delimiter, open }: CsvFile): AsyncGenerator<CsvRow[]> {
  const source = open().setEncoding('utf8')
  const rows = splitRows(delimiter)
  let isFirst = true
  let hasOldLineEnds = false
  try {
    for await (const piece of source as AsyncIterable<string>) {
      if (piece.includes('\0')) throw new ImportError(NOT_TEXT)
      if (isFirst) hasOldLineEnds = endsLinesWithReturns(piece)
      const text = hasOldLineEnds ? piece.replaceAll('\r', '\n') : piece
      yield rows.take(isFirst ? text.replace(/^\ufeff/, '') : text)
      isFirst = false
      if (rows.pendingLength() > MAX_ROW_CHARACTERS) throw new ImportError(TOO_LONG)
    }
    const last = rows.end()
    if (!last) throw new ImportError('The file ends inside quotes; a closing quote is missing.')
    yield last
  } finally {
    source.destroy()
  }
}

/** Reads the rows below the header in chunks. */
export async function* readDataRows(file: CsvFile): AsyncGenerator<CsvRow[]> {
  let isHeaderRead = false
  for await (const rows of readCsvRows(file)) {
    yield isHeaderRead ? rows : rows.slice(1)
    isHeaderRead ||= rows.length > 0
  }
}

/** The names of the columns. Throws `ImportError` for an empty file. */
export async function readHeader(file: CsvFile): Promise<string[]> {
  for await (const { cells } of readCsv(file)) return cells.map((cell) => cell.trim())
  throw emptyFile()
}

const emptyFile = (): ImportError => new ImportError('The file is empty; its first row has to name the columns.')

const TOO_LONG = 'A row is longer than 16 MB; a closing quote may be missing.'
const NOT_TEXT = 'The file is not a text; save it as "CSV UTF-8", or convert it with iconv if it is in UTF-16.'

/** Old spreadsheet programs for the Macintosh end lines with CR. */
const endsLinesWithReturns = (beginning: string): boolean => !beginning.includes('\n') && /\r[^\n]/.test(beginning)

const DELIMITERS = [',', ';', '\t', '|']

/** The most frequent delimiter outside quotes in the first line; a comma when it has none. */
export function findDelimiter(beginning: string): string {
  // A doubled quote ends a part and begins the next; with an alternative for it, the expression is slow.
  const firstLine = beginning.replace(/"[^"]*(?:"|$)/g, '').split(/[\r\n]/, 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Throws `ImportError` for the beginning of a file that is not UTF-8. */
export function decodeBeginning(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    throw new ImportError('The file is not in UTF-8; save it as "CSV UTF-8" or convert it with iconv.')
  }
}

const MAX_SAMPLED_ROWS = 2000
/** Limits the rows of a file with many columns, since each cell is tried as every type. */
const MAX_SAMPLED_CELLS = 100_000
/** The beginning of a longer cell suffices to tell its type. */
const MAX_SAMPLED_CHARACTERS = 1000

const MAX_NAME_CHARACTERS = 1000

/** Throws `ImportError` for a file without a header, with too many columns, or with two of one name. */
export async function sampleColumns(file: CsvFile): Promise<{ header: string[]; columns: SampledColumn[] }> {
  let header: string[] | undefined
  let samples: string[][] = []
  let rowsLeft = MAX_SAMPLED_ROWS
  for await (const { cells } of readCsv(file)) {
    if (!header) {
      header = parseHeader(cells)
      samples = header.map(() => [])
      rowsLeft = Math.min(MAX_SAMPLED_ROWS, Math.ceil(MAX_SAMPLED_CELLS / header.length))
      continue
    }
    if (cells.length === header.length) {
      for (const [index, sample] of samples.entries())
        sample.push((cells[index] ?? '').slice(0, MAX_SAMPLED_CHARACTERS))
    }
    if (--rowsLeft === 0) break
  }
  if (!header) throw emptyFile()
  return { header, columns: header.map((name, index) => ({ name, sample: samples[index] ?? [] })) }
}

function parseHeader(cells: readonly string[]): string[] {
  if (cells.length > MAX_COLUMNS) {
    throw new ImportError(
      `The file has more than ${MAX_COLUMNS} columns; leave out those that are not needed, or check which character separates its columns.`,
    )
  }
  const header = cells.map((cell) => cell.trim())
  if (header.some((name) => name.length > MAX_NAME_CHARACTERS)) {
    throw new ImportError(`The name of a column has more than ${MAX_NAME_CHARACTERS} characters; shorten it.`)
  }
  refuseDuplicates(header)
  return header
}

function refuseDuplicates(header: readonly string[]): void {
  const names = new Set<string>()
  const duplicate = header.find((name) => name !== '' && names.size === names.add(name).size)
  if (duplicate !== undefined) throw new ImportError(`Two columns are called "${duplicate}"; rename one of them.`)
}
