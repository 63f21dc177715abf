/** Runs a statement for a response of JSON, which holds all of its rows. */

import { inSlices } from '#base/timing/in-slices'
import type { ResultColumns } from '#engine/sql/results/columns'
import { openRows } from './open-rows'
import type { SqlCaller, SqlRunner } from './sql-runner'
import { explain, limitRows, type RoleStatement } from './statement'

/** The rows of a JSON response, of which clients need all in memory. */
const MAX_ROWS = 10_000
const MAX_CHARACTERS = 50_000_000

export interface JsonRows {
  readonly columns: ResultColumns
  /** The texts of the rows, separated by commas, in pieces of any length. */
  readonly pieces: readonly string[]
  /** Whether the result has more rows. */
  readonly isTruncated: boolean
}

export type ExplainOptions = 'format json' | 'analyze, format json'

/** Returns the rows, at most so many as the limits allow. */
export const queryRows = (caller: SqlCaller, runner: SqlRunner, statement: RoleStatement): Promise<JsonRows> =>
  collectRows(caller, runner, limitRows(statement, MAX_ROWS + 1))

/** Returns the plan as one row with one column, as PostgreSQL does. */
export const explainAsRows = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  options: ExplainOptions,
): Promise<JsonRows> => collectRows(caller, runner, explain(statement, options))

/** Ends the statement when the limits are reached. */
async function collectRows(caller: SqlCaller, runner: SqlRunner, statement: RoleStatement): Promise<JsonRows> {
  const opened = await openRows(caller, runner, statement)
  const { columns } = opened
  const text = createLimitedText()
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
const PIECE_LENGTH = 64 * 1024

/** A text of whole rows within the limits. */
function createLimitedText() {
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
      if (rows >= MAX_ROWS || characters > MAX_CHARACTERS) return false
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
      if (rest.length >= PIECE_LENGTH) {
        pieces.push(rest)
        rest = ''
      }
      row = []
      rows++
    },
    pieces: (): readonly string[] => [...pieces, rest],
  }
}
