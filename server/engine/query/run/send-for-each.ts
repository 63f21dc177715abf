/** Reads rows as they arrive, while PostgreSQL computes the next ones. Decision 0036. */

import type { Sql } from '#db/connect'
import { type RowMessage, sendForMessages } from '#db/driver/row-messages'
import type { Statement } from '#engine/query/compile/page-statement'
import { isCancellation } from '#base/errors/database'

/** Collects the rows of one run of a statement. */
export interface RowCollector<R> {
  /** The collector does not retain the message. */
  add(message: RowMessage): void
  /** Whether it ignores all further rows. */
  isComplete?(): boolean
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

interface SendOptions {
  readonly prepare: boolean
  /** Whether the statement is cancelled when the collector is complete. The connection must have no other statement meanwhile. */
  readonly endsEarly?: boolean
}

export function sendForEach<R>(
  sql: Sql,
  statement: Statement,
  { prepare, endsEarly = false }: SendOptions,
  collector: RowCollector<R>,
): PendingRows<R> {
  let failure: { readonly error: unknown } | undefined
  let isEnded = false
  const query = sendForMessages(sql, statement, { prepare }, (message) => {
    if (failure || isEnded) return
    try {
      collector.add(message)
      isEnded = collector.isComplete?.() === true
      if (isEnded && endsEarly) query.cancel()
    } catch (error) {
      // An exception inside the driver would leave the connection in an undefined state.
      failure = { error }
    }
  })
  return {
    query,
    async collect() {
      try {
        await query
      } catch (error) {
        if (!isEnded || !isCancellation(error)) throw error
      }
      if (failure) throw failure.error
      return collector.end()
    },
  }
}
