/** How rows are written, and the result of each row. */

import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import type { Micros } from '#base/timing/clock'
import type { RowOutcome } from '#transfer/import/row-counts'
import type { MatchOptions } from '#transfer/import/match/find-matches'
import { type MultiselectWriteOf, apiErrorMessage } from './write-records'

export interface WriteOptions extends MatchOptions {
  readonly multiselectWriteOf: MultiselectWriteOf
  /** Whether to compute the results and write nothing. */
  readonly isDryRun: boolean
}

export interface RowResult {
  readonly row: ConvertedRow
  readonly outcome: RowOutcome
  /** Why the row was skipped. */
  readonly reason?: string
  /** The record that the row matched. */
  readonly record?: { readonly id: string; readonly createdAt: Micros }
}

/** Writes rows that were prepared. */
export type WriteRows = () => Promise<RowResult[]>

/** The result of a row that the service refused. Rethrows an error that is not a refusal. */
export function skipRefusedRow(error: unknown, row: ConvertedRow): RowResult {
  const reason = apiErrorMessage(error)
  if (reason === undefined) throw error
  return { row, outcome: 'skipped', reason }
}
