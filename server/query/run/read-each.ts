/** Rows made into what is wanted of them while PostgreSQL makes the next ones. Decision 0036. */

import type { Sql } from '../../../db/connect'
import type { Row } from '../../storage/layout'

/** What becomes of a row, which is not kept. */
export type ReadRow<T> = (row: Row) => T

type Rows = ReturnType<ReturnType<Sql['unsafe']>['values']>

/** What `read` makes of each row, in their order. Throws what `read` throws once all have come. */
export async function readEach<T>(rows: Rows, read: ReadRow<T>): Promise<T[]> {
  const made: T[] = []
  let failure: { readonly error: unknown } | undefined
  await rows.forEach((row) => {
    if (failure) return
    try {
      made.push(read(row as Row)) // as `values` gives them
    } catch (error) {
      // Thrown into the driver, it would leave the connection out of step.
      failure = { error }
    }
  })
  if (failure) throw failure.error
  return made
}
