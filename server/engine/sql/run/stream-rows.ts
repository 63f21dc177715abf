/** Runs a statement for a response that is sent while its rows are read. */

import { createSlices } from '#base/timing/in-slices'
import { firstText, type ResultColumns, type RowParts } from '#engine/sql/results/columns'
import { openRows, type OpenRows } from './open-rows'
import type { SqlCaller, SqlRunner } from './sql-runner'
import { explain, type RoleStatement } from './statement'

/** How rows become text. */
export interface RowFormat {
  /** Before the first row. */
  readonly head: (columns: ResultColumns) => string
  readonly line: (columns: ResultColumns, row: Buffer) => RowParts
}

/** The pieces of a response. */
export type PieceReader = Pick<AsyncGenerator<string, void, void>, 'next' | 'return'>

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
