/** Rows of a CSV file as they are read: any size in flat memory, quotes, line breaks inside cells, either line ending. */

import { parse } from 'csv-parse'
import type { Readable } from 'node:stream'
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
export async function* readCsv({ delimiter, open }: CsvFile): AsyncGenerator<CsvRow> {
  const source = open()
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: MAX_ROW_CHARACTERS,
    relax_column_count: true,
    relax_quotes: true,
  })
  source.on('error', (error) => parser.destroy(error))
  let line = 1
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<Parsed>) {
      // `info` makes them such pairs
      const cells = record
      if (cells.length > 1 || cells[0] !== '') yield { line, cells }
      line = info.lines + 1
    }
  } catch (error) {
    throw explain(error)
  } finally {
    source.destroy()
  }
}

interface Parsed {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

function explain(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!code.startsWith('CSV_')) return error
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new ImportProblem('The file ends inside quotes; a closing quote is missing.')
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new ImportProblem('A row is longer than 16 MB; a closing quote may be missing.')
  return new ImportProblem(`The file is no CSV: ${error instanceof Error ? error.message : code}`)
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
