/** Reads the rows of a statement as they arrive. PostgreSQL waits while the reader has many of them in memory. */

import type { Sql } from '#db/connect'
import { cancelOnAbort } from '#db/driver/cancel-on-abort'
import { columnsOfResult, type DescribedColumn, type RowFlow, sendForRows } from '#db/driver/row-messages'
import type { RoleStatement } from './statement'

export interface RowReader {
  /** Known when the first call of `next` has returned. */
  columns(): readonly DescribedColumn[]
  /** Returns the next rows, none when there are no more. */
  next(): Promise<readonly Buffer[]>
  /** Resolves when the connection can be used again. */
  readonly ended: Promise<void>
}

/** While so many bytes are in memory, the connection is not read. One more packet and the row that it ends may follow. */
const MAX_WAITING_BYTES = 1024 * 1024
/** Fewer are not handed over before the last one has arrived. An error before so many rows is one of the whole result. */
const MIN_ROWS = 200

/** `signal` cancels the statement. */
export function readRows(sql: Sql, statement: RoleStatement, signal: AbortSignal): RowReader {
  let [rows, bytes]: [Buffer[], number] = [[], 0]
  let columns: readonly DescribedColumn[] = []
  let paused: RowFlow | undefined
  let outcome: { readonly error?: unknown } | undefined
  let wake: () => void = () => undefined

  const isReady = () => outcome !== undefined || rows.length >= MIN_ROWS || bytes >= MAX_WAITING_BYTES
  const take = () => {
    const taken = rows
    ;[rows, bytes] = [[], 0]
    paused?.resume()
    paused = undefined
    return taken
  }
  const query = sendForRows(sql, statement, (row, described, flow) => {
    if (signal.aborted) return
    columns = described
    rows.push(row)
    bytes += row.length
    if (bytes >= MAX_WAITING_BYTES) {
      paused = flow
      flow.pause()
    }
    if (isReady()) wake()
  })
  const stopListening = cancelOnAbort(query, signal)
  // The rows that PostgreSQL sends until it is cancelled are not kept.
  signal.addEventListener('abort', take)
  const ended = query
    .then(
      (result) => {
        columns = columnsOfResult(result)
        outcome = {}
      },
      (error: unknown) => void (outcome = { error }),
    )
    .then(() => {
      stopListening()
      signal.removeEventListener('abort', take)
      wake()
    })
  return {
    columns: () => columns,
    async next() {
      while (!isReady()) await new Promise<void>((resolve) => (wake = resolve))
      if (outcome !== undefined && 'error' in outcome) throw outcome.error
      return take()
    },
    ended,
  }
}
