/** Reads rows as they arrive, while PostgreSQL computes the next ones. Decision 0036. */

import type { Sql } from '../../../db/connect'
import { type RowMessage, sendForMessages } from '../../../db/driver/row-messages'
import type { Statement } from '../compile/page-statement'

/** Collects the rows of one run of a statement. */
export interface RowCollector<R> {
  /** The collector does not retain the message. */
  add(message: RowMessage): void
  end(): R
}

/** Returns collectors of the values that `read` makes of each row. */
export const collectorsOf =
  <T>(read: (message: RowMessage) => T): (() => RowCollector<T[]>) =>
  () => {
    const results: T[] = []
    return { add: (message) => results.push(read(message)), end: () => results }
  }

export interface PendingRows<R> {
  /** The driver's query, which can be cancelled. */
  readonly query: ReturnType<typeof sendForMessages>
  /** Sends the statement and returns what was collected. Throws an error of the collector after the last row has arrived. */
  collect(): Promise<R>
}

export function sendForEach<R>(
  sql: Sql,
  statement: Statement,
  options: { readonly prepare: boolean },
  collector: RowCollector<R>,
): PendingRows<R> {
  let failure: { readonly error: unknown } | undefined
  const query = sendForMessages(sql, statement, options, (message) => {
    if (failure) return
    try {
      collector.add(message)
    } catch (error) {
      // An exception inside the driver would leave the connection in an undefined state.
      failure = { error }
    }
  })
  return {
    query,
    async collect() {
      await query
      if (failure) throw failure.error
      return collector.end()
    },
  }
}
