/** How rows are written, and what becomes of them. */

import type { ConvertedRow } from '../convert/compile-row'
import type { MatchOptions } from '../match/find-matches'
import { type ModeOf, apiErrorMessage } from './write-records'

export interface WriteOptions extends MatchOptions {
  readonly modeOf: ModeOf
  /** Nothing is written; what would be is told. */
  readonly isDryRun: boolean
}

export type RowOutcome = 'created' | 'updated' | 'unchanged' | 'skipped'

export interface RowResult {
  readonly row: ConvertedRow
  readonly outcome: RowOutcome
  /** Why it was skipped. */
  readonly reason?: string
  /** When the record it met was made, in microseconds. */
  readonly recordCreatedAt?: number
}

/** Writes rows that were made ready for it. */
export type WriteRows = () => Promise<RowResult[]>

/** Of a row that the service refused. Throws what is no refusal. */
export function skipRefusedRow(error: unknown, row: ConvertedRow): RowResult {
  const reason = apiErrorMessage(error)
  if (reason === undefined) throw error
  return { row, outcome: 'skipped', reason }
}
