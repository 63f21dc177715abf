/** Runs a statement for a response of JSON, which holds all of its rows, or for one that is sent while its rows are read. */

import { createSlices, inSlices } from '#base/timing/in-slices'
import { firstText, type ResultColumns, type RowParts } from '#engine/sql/results/columns'
import { openRows, type OpenRows } from './open-rows'
import type { SqlCaller, SqlRunner } from './sql-runner'
import { explain, limitRows, type RoleStatement } from './statement'

/** The rows of a JSON response, of which clients need all in memory. */
const MAX_ROWS = 10_000
const MAX_JSON_CHARACTERS = 50_000_000

export interface JsonRows {
  readonly columns: ResultColumns
  /** The texts of the rows, separated by commas, in pieces of any length. */
  readonly pieces: readonly string[]
  /** Whether the result has more rows. */
  readonly isTruncated: boolean
}

type ExplainOptions = 'format json' | 'analyze, format json'

/** Returns the rows, at most so many as the limits allow. */
export const queryRows = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  maxRows = MAX_ROWS,
): Promise<JsonRows> => collectRows(caller, runner, limitRows(statement, maxRows + 1), maxRows)

/** Returns the plan as one row with one column, as PostgreSQL does. */
export const explainAsRows = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  options: ExplainOptions,
): Promise<JsonRows> => collectRows(caller, runner, explain(statement, options), MAX_ROWS)

/** Ends the statement when the limits are reached. */
async function collectRows(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  maxRows: number,
): Promise<JsonRows> {
  const opened = await openRows(caller, runner, statement)
  const { columns } = opened
  const text = createLimitedText(maxRows)
  for (;;) {
    const rows = await opened.next()
    if (rows.length === 0) return { columns, pieces: text.pieces(), isTruncated: false }
    const isTruncated = await inSlices(addRows(text, columns, rows))
    if (!isTruncated) continue
    await opened.close()
    return { columns, pieces: text.pieces(), isTruncated }
  }
}

/** Returns whether a row was left out. */
function* addRows(
  text: ReturnType<typeof createLimitedText>,
  columns: ResultColumns,
  rows: readonly Buffer[],
): Generator<void, boolean> {
  for (const row of rows) {
    for (const part of columns.json(row)) {
      if (!text.add(part)) return true
      yield
    }
    text.endRow()
  }
  return false
}

/** Shorter pieces are joined. */
const MIN_PIECE_LENGTH = 64 * 1024

/** A text of whole rows within the limits. */
function createLimitedText(maxRows: number) {
  const pieces: string[] = []
  /** The rows behind the pieces. */
  let rest = ''
  /** The row that is not complete. */
  let row: string[] = []
  let rows = 0
  let characters = 0
  return {
    /** Adds a part of a row. Returns false, and drops the row, when it does not fit. */
    add(part: string): boolean {
      characters += part.length
      if (rows >= maxRows || characters > MAX_JSON_CHARACTERS) return false
      row.push(part)
      return true
    },
    endRow(): void {
      if (rows > 0) rest += ','
      if (row.length > 1) {
        pieces.push(rest)
        for (const part of row) pieces.push(part)
        rest = ''
      } else rest += row[0] ?? ''
      if (rest.length >= MIN_PIECE_LENGTH) {
        pieces.push(rest)
        rest = ''
      }
      row = []
      rows++
    },
    pieces: (): readonly string[] => [...pieces, rest],
  }
}

// Responses that are sent while the rows are read.

/** How rows become text. */
export interface RowFormat {
  /** Before the first row. */
  readonly head: (columns: ResultColumns) => string
  readonly line: (columns: ResultColumns, row: Buffer) => RowParts
}

/** The pieces of a response. */
type PieceReader = Pick<AsyncGenerator<string, void, void>, 'next' | 'return'>

/** The length of a whole response. */
const MAX_CHARACTERS = 2_000_000_000
/** A client gets pieces of at least this length, and shorter ones while PostgreSQL is slower. */
const PIECE_LENGTH = 128 * 1024

export async function streamRows(
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  format: RowFormat,
): Promise<PieceReader> {
  const rows = await openRows(caller, runner, statement)
  const pieces = readPieces(rows, format)
  return {
    next: () => pieces.next(),
    // A generator ends only after the rows for which it waits.
    async return() {
      await rows.close()
      return { done: true, value: undefined }
    },
  }
}

/** Returns the plan as text. */
export const streamPlan = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  options: 'format text' | 'analyze, format text',
): Promise<PieceReader> => streamRows(caller, runner, explain(statement, options), PLAN_TEXT)

const PLAN_TEXT: RowFormat = {
  head: () => '',
  *line(_, row) {
    yield `${firstText(row)}\n`
  },
}

async function* readPieces(opened: OpenRows, { head, line }: RowFormat): AsyncGenerator<string, void> {
  const pauseAfterSlice = createSlices()
  let text = head(opened.columns)
  let characters = 0
  for (let rows = await opened.next(); rows.length > 0; rows = await opened.next()) {
    for (const row of rows)
      for (const part of line(opened.columns, row)) {
        text += part
        const pause = pauseAfterSlice()
        if (pause !== undefined) await pause
        if (text.length < PIECE_LENGTH) continue
        characters += text.length
        yield text
        text = ''
      }
    characters += text.length
    if (characters > MAX_CHARACTERS) await opened.close()
    if (text !== '') yield text
    text = ''
  }
  if (text !== '') yield text
}
