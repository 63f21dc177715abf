/**
 * Takes the rows of a CSV text apart. A row without quotes is split at once, which most are. A quote within a cell that
 * does not begin with one is a character like any other, and so is one in a quoted cell that the cell cannot end with.
 */

/** Of a file that can be imported. */
export const MOST_COLUMNS = 1000

/** One more tells that a row is too wide; further ones are not kept. */
const MOST_CELLS = MOST_COLUMNS + 1

export interface CsvRow {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface RowSplitter {
  /** Rows that are complete with this piece of the text, some perhaps later; lines without any character are passed over. */
  take(piece: string): CsvRow[]
  /** The row that no line break ends, if there is one. Undefined when it ends inside of quotes. */
  end(): CsvRow[] | undefined
  /** How many characters wait for the rest of their row. */
  waiting(): number
}

export function splitRows(delimiter: string): RowSplitter {
  let rest = ''
  /** A row that did not end is looked through again when there is twice as much of it: one without an end would cost its square. */
  let enough = 0
  let line = 1
  const take = (text: string, isAll: boolean): CsvRow[] => {
    const source = { text, delimiter, isAll }
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
    enough = 2 * rest.length
    return rows
  }
  return {
    take(piece) {
      rest += piece
      return rest.length < enough ? [] : take(rest, false)
    },
    end() {
      const rows = take(rest, true)
      return rest === '' ? rows : undefined
    },
    waiting: () => rest.length,
  }
}

interface Source {
  readonly text: string
  readonly delimiter: string
  /** Whether nothing comes after it. */
  readonly isAll: boolean
}

interface Found {
  readonly cells: readonly string[]
  /** Where the next row begins. */
  readonly end: number
  readonly lines: number
}

/** Undefined when the row may go on after the text. `quote` is where the first quote from `start` on is, or -1. */
function readRow(source: Source, start: number, quote: number): Found | undefined {
  const { text, delimiter, isAll } = source
  const lineBreak = text.indexOf('\n', start)
  if (lineBreak < 0 && !isAll) return undefined
  const end = lineBreak < 0 ? text.length : lineBreak
  if (quote >= 0 && quote < end) return readQuotedRow(source, start)
  return { cells: text.slice(start, lineEnd(text, start, end)).split(delimiter, MOST_CELLS), end: end + 1, lines: 1 }
}

/** Without the first half of a line break of two. */
const lineEnd = (text: string, start: number, end: number): number =>
  end > start && text[end - 1] === '\r' ? end - 1 : end

/** Cell by cell. */
function readQuotedRow(source: Source, start: number): Found | undefined {
  const { text, delimiter, isAll } = source
  const cells: string[] = []
  let lines = 1
  let lineBreak = text.indexOf('\n', start)
  for (let at = start; ;) {
    let end: number
    if (text[at] === '"') {
      const quoted = readQuotedCell(source, at)
      if (!quoted) return undefined
      if (cells.length < MOST_CELLS) cells.push(quoted.value)
      end = quoted.end
      if (lineBreak >= 0 && lineBreak < end) {
        lines += linesIn(quoted.value)
        lineBreak = text.indexOf('\n', end)
      }
    } else {
      const rowEnd = lineBreak < 0 ? text.length : lineBreak
      const next = indexBefore(text, delimiter, at, rowEnd)
      end = next < rowEnd ? next : lineEnd(text, at, rowEnd)
      if (cells.length < MOST_CELLS) cells.push(text.slice(at, end))
    }
    if (text[end] === delimiter) at = end + 1
    else if (lineBreak >= 0) return { cells, end: lineBreak + 1, lines }
    else return isAll ? { cells, end: text.length, lines } : undefined
  }
}

/** Where a character stands from `start` on, or `end`. Behind that nothing is looked at, which may be long. */
function indexBefore(text: string, character: string, start: number, end: number): number {
  let at = start
  while (at < end && text[at] !== character) at++
  return at
}

const linesIn = (text: string): number => text.split('\n').length - 1

/** Up to the quote behind which the cell ends: with a delimiter, a line break or the text, spaces in between allowed. */
function readQuotedCell({ text, delimiter, isAll }: Source, start: number): { value: string; end: number } | undefined {
  let isDoubled = false
  for (let close = text.indexOf('"', start + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    if (text[close + 1] === '"') {
      isDoubled = true
      close++
      continue
    }
    let end = close + 1
    while (text[end] === ' ') end++
    if (end === text.length && !isAll) return undefined
    if (end < text.length && text[end] !== delimiter && !isLineBreak(text, end)) continue
    const value = text.slice(start + 1, close)
    return { value: isDoubled ? value.replaceAll('""', '"') : value, end }
  }
  return undefined
}

const isLineBreak = (text: string, at: number): boolean =>
  text[at] === '\n' || (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length))
