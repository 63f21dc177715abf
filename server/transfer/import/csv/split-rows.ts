/**
 * Splits a CSV text into rows and cells. Most rows have no quotes and are split in one call. A quote is an ordinary
 * character in a cell that does not begin with one, and in a quoted cell where neither a delimiter nor a line break follows.
 */

export const MAX_COLUMNS = 1000

/** One cell more than allowed shows that a row is too wide; further cells are dropped. */
const MAX_CELLS = MAX_COLUMNS + 1

export interface CsvRow {
  /** The line on which the row begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface RowSplitter {
  /** Adds a piece of the text and returns rows that are complete, possibly later than they could be. Skips empty lines. */
  take(piece: string): CsvRow[]
  /** Returns the last row when no line break ends it. Undefined when the text ends inside quotes. */
  end(): CsvRow[] | undefined
  /** The number of characters of the row that is not complete yet. */
  pendingLength(): number
}

export function splitRows(delimiter: string): RowSplitter {
  let rest = ''
  /** An incomplete row is scanned again when it is twice as long, so that a row without an end takes linear time. */
  let nextScanLength = 0
  let line = 1
  const take = (text: string, isLast: boolean): CsvRow[] => {
    const source = { text, delimiter, isLast }
    const rows: CsvRow[] = []
    let start = 0
    let quote = text.indexOf('"')
    while (start < text.length) {
      if (text[start] === '\n') {
        start++
        line++
        continue
      }
      if (quote >= 0 && quote < start) quote = text.indexOf('"', start)
      const found = readRow(source, start, quote)
      if (!found) break
      const { cells, end, lines } = found
      if (cells.length > 1 || cells[0] !== '') rows.push({ line, cells })
      line += lines
      start = end
    }
    rest = text.slice(start)
    nextScanLength = 2 * rest.length
    return rows
  }
  return {
    take(piece) {
      rest += piece
      return rest.length < nextScanLength ? [] : take(rest, false)
    },
    end() {
      const rows = take(rest, true)
      return rest === '' ? rows : undefined
    },
    pendingLength: () => rest.length,
  }
}

interface TextSource {
  readonly text: string
  readonly delimiter: string
  /** Whether the text is the end of the file. */
  readonly isLast: boolean
}

interface ParsedRow {
  readonly cells: readonly string[]
  /** The start of the next row. */
  readonly end: number
  readonly lines: number
}

/** Undefined when the row may continue after the text. `quote` is the index of the first quote from `start` on, or -1. */
function readRow(source: TextSource, start: number, quote: number): ParsedRow | undefined {
  const { text, delimiter, isLast } = source
  const lineBreak = text.indexOf('\n', start)
  if (lineBreak < 0 && !isLast) return undefined
  const end = lineBreak < 0 ? text.length : lineBreak
  if (quote >= 0 && quote < end) return readQuotedRow(source, start)
  return { cells: text.slice(start, lineEnd(text, start, end)).split(delimiter, MAX_CELLS), end: end + 1, lines: 1 }
}

/** The end of a line without the CR of a CRLF. */
const lineEnd = (text: string, start: number, end: number): number =>
  end > start && text[end - 1] === '\r' ? end - 1 : end

function readQuotedRow(source: TextSource, start: number): ParsedRow | undefined {
  const { text, delimiter, isLast } = source
  const cells: string[] = []
  let lines = 1
  let lineBreak = text.indexOf('\n', start)
  for (let at = start; ;) {
    let end: number
    if (text[at] === '"') {
      const quoted = readQuotedCell(source, at)
      if (!quoted) return undefined
      if (cells.length < MAX_CELLS) cells.push(quoted.value)
      end = quoted.end
      if (lineBreak >= 0 && lineBreak < end) {
        lines += linesIn(quoted.value)
        lineBreak = text.indexOf('\n', end)
      }
    } else {
      const rowEnd = lineBreak < 0 ? text.length : lineBreak
      const next = indexBefore(text, delimiter, at, rowEnd)
      end = next < rowEnd ? next : lineEnd(text, at, rowEnd)
      if (cells.length < MAX_CELLS) cells.push(text.slice(at, end))
    }
    if (text[end] === delimiter) at = end + 1
    else if (lineBreak >= 0) return { cells, end: lineBreak + 1, lines }
    else return isLast ? { cells, end: text.length, lines } : undefined
  }
}

/** The index of a character between `start` and `end`, or `end`. Unlike `indexOf`, the search stops there. */
function indexBefore(text: string, character: string, start: number, end: number): number {
  let at = start
  while (at < end && text[at] !== character) at++
  return at
}

const linesIn = (text: string): number => text.split('\n').length - 1

/** Reads up to the quote that a delimiter, a line break or the end of the text follows; spaces may stand between. */
function readQuotedCell(
  { text, delimiter, isLast }: TextSource,
  start: number,
): { value: string; end: number } | undefined {
  let isDoubled = false
  for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    if (text[close + 1] === '"') {
      isDoubled = true
      close++
      continue
    }
    let end = close + 1
    while (text[end] === ' ') end++
    if (end === text.length && !isLast) return undefined
    if (end < text.length && text[end] !== delimiter && !isLineBreak(text, end)) continue
    const value = text.slice(start + 1, close)
    return { value: isDoubled ? value.replaceAll('""', '"') : value, end }
  }
  return undefined
}

const isLineBreak = (text: string, at: number): boolean =>
  text[at] === '\n' || (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length))
