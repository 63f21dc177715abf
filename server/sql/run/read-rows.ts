/** Reads the rows of a statement as JSON texts while they arrive, at most so many rows and characters. */

import { cancelOnAbort } from '../../../db/driver/cancel-on-abort'
import type { RoleConnection } from '../../../db/role-connection'
import type { DescribedColumn, ResultColumns, TextRow } from '../results/columns'
import type { RoleStatement } from './statement'

export interface RowLimits {
  readonly rows: number
  /** Of all rows together. */
  readonly characters: number
}

export interface JsonRows {
  readonly columns: ResultColumns
  readonly rows: readonly string[]
  /** Whether the result has more rows. */
  readonly isTruncated: boolean
}

export interface RowsReader {
  readonly limits: RowLimits
  readonly describe: (columns: readonly DescribedColumn[]) => ResultColumns
  /** Whether the rows can be read with these columns. */
  readonly accepts: (columns: ResultColumns) => boolean
}

/**
 * When the limits are reached, and when the columns are not accepted, cancels the statement with `stop`. The result is then what
 * was read until then.
 */
export async function readRows(
  { sql, startPage }: RoleConnection,
  { text, parameters }: RoleStatement,
  reader: RowsReader,
  stop: AbortController,
): Promise<JsonRows> {
  // Without `simple`, a text without parameters could contain several statements.
  startPage()
  const query = sql.unsafe(text, [...parameters], { simple: false } as object).values()
  const stopListening = cancelOnAbort(query, stop.signal)
  const accumulator = createAccumulator(reader, () => stop.abort())
  try {
    const result = await query.forEach(
      (row, { statement }) => accumulator.add(row as unknown as TextRow, statement.columns), // all values arrive as text
    )
    return accumulator.finish(result.statement.columns)
  } catch (error) {
    if (accumulator.isStopped()) return accumulator.finish([])
    throw error
  } finally {
    stopListening()
  }
}

function createAccumulator({ limits, describe, accepts }: RowsReader, stop: () => void) {
  const rows: string[] = []
  let characters = 0
  let columns: ResultColumns | undefined
  let isStopped = false
  let failure: { readonly error: unknown } | undefined

  function addRow(row: TextRow, described: readonly DescribedColumn[]): void {
    columns ??= describe(described)
    const json = accepts(columns) ? columns.json(row) : ''
    characters += json.length
    const isFull = rows.length >= limits.rows || characters > limits.characters
    if (isFull || !accepts(columns)) isStopped = true
    else rows.push(json)
    if (isStopped) stop()
  }

  return {
    add(row: TextRow, described: readonly DescribedColumn[]): void {
      if (isStopped || failure) return
      try {
        addRow(row, described)
      } catch (error) {
        // An exception inside the driver would leave the connection in an undefined state.
        failure = { error }
      }
    },
    isStopped: () => isStopped,
    finish(described: readonly DescribedColumn[]): JsonRows {
      if (failure) throw failure.error
      return { columns: columns ?? describe(described), rows, isTruncated: isStopped }
    },
  }
}
