/** Rows of a CSV file as they are read: any size in flat memory, quotes, line breaks inside cells, either line ending. */

import type { Readable } from 'node:stream'
import Papa from 'papaparse'
import { ImportProblem } from './problem'

export interface CsvRow {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** A file that can be read from its beginning as often as needed. */
export interface CsvFile {
  readonly delimiter: string
  open(): Readable
}

/** Bounds what an unclosed quote can take. */
const MAX_ROW_CHARACTERS = 16 * 1024 * 1024

/** The header row first; lines without any character are passed over. Throws `ImportProblem`. */
export async function* readCsv(file: CsvFile): AsyncGenerator<CsvRow> {
  for await (const rows of readRows(file)) yield* rows
}

/** The same rows, as many at a time as a piece of the file holds. */
export async function* readRows(file: CsvFile): AsyncGenerator<CsvRow[]> {
  let line = 1
  for await (const piece of readPieces(file)) {
    const rows: CsvRow[] = []
    for (const cells of piece) {
      if (cells.length > 1 || cells[0] !== '') rows.push({ line, cells })
      line += linesIn(cells)
    }
    yield rows
  }
}

/** The lines a row takes: one, and one more for each line break inside of a cell. */
function linesIn(cells: readonly string[]): number {
  let lines = 1
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) lines++
  }
  return lines
}

/** The rows of one piece of the file after the other; the next is read when the last was taken. */
async function* readPieces({ delimiter, open }: CsvFile): AsyncGenerator<string[][]> {
  const source = open().setEncoding('utf8')
  const longRow = watchRowLength(source)
  const pieces: string[][][] = []
  const reading = { isOver: false, failure: undefined as Error | undefined, resume: () => {}, wake: () => {} }
  const stop = (failure?: Error) => {
    Object.assign(reading, { isOver: true, failure: reading.failure ?? failure })
    reading.wake()
  }
  Papa.parse<string[]>(source, {
    delimiter,
    beforeFirstChunk: (piece) => piece.replace(/^\ufeff/, ''),
    chunk({ data, errors }, parser) {
      const problem = longRow(data.length) ?? unclosedQuote(errors)
      if (problem) return stop(problem)
      parser.pause()
      reading.resume = () => parser.resume()
      pieces.push(data)
      reading.wake()
    },
    complete: () => stop(),
    error: stop,
  })
  try {
    for (;;) {
      if (reading.failure) throw reading.failure
      const piece = pieces.shift()
      if (piece) {
        yield piece
        reading.resume()
      } else if (reading.isOver) return
      else await new Promise<void>((resolve) => (reading.wake = resolve))
    }
  } finally {
    source.destroy()
  }
}

/** Counts the characters that came since a row was last complete. */
function watchRowLength(source: Readable): (rows: number) => ImportProblem | undefined {
  let characters = 0
  source.on('data', (piece: string) => (characters += piece.length))
  return (rows) => {
    if (rows > 0) characters = 0
    if (characters <= MAX_ROW_CHARACTERS) return undefined
    return new ImportProblem('A row is longer than 16 MB; a closing quote may be missing.')
  }
}

/** Other irregular quotes are read as they stand. */
function unclosedQuote(errors: readonly Papa.ParseError[]): ImportProblem | undefined {
  if (!errors.some(({ code }) => code === 'MissingQuotes')) return undefined
  return new ImportProblem('The file ends inside quotes; a closing quote is missing.')
}

const DELIMITERS = [',', ';', '\t', '|']

/** The delimiter that the first line has most of, outside quotes; a comma when it has none. */
export function findDelimiter(beginning: string): string {
  const firstLine = beginning.replace(/"(?:[^"]|"")*"/g, '').split(/\r?\n/, 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Refuses the beginning of a file that is not UTF-8. */
export function decodeBeginning(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    throw new ImportProblem('The file is not in UTF-8; save it as "CSV UTF-8" or convert it with iconv.')
  }
}
