/** Reads rows as they arrive, while PostgreSQL computes the next ones. Decision 0036. */

import type { Sql } from '../../../db/connect'
import type { Row } from '../../storage/layout'

/** Converts a row. The caller does not retain the row. */
export type RowReader<T> = (row: Row) => T

type RowStream = ReturnType<ReturnType<Sql['unsafe']>['values']>

/** Returns the converted rows in their order. Throws an error of `read` after the last row has arrived. */
export async function readEach<T>(rows: RowStream, read: RowReader<T>): Promise<T[]> {
  const results: T[] = []
  let failure: { readonly error: unknown } | undefined
  await rows.forEach((row) => {
    if (failure) return
    try {
      results.push(read(row as Row)) // `values` yields rows as arrays
    } catch (error) {
      // An exception inside the driver would leave the connection in an undefined state.
      failure = { error }
    }
  })
  if (failure) throw failure.error
  return results
}
