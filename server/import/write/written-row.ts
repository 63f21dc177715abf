/** How rows are written, and what becomes of them. */

import type { ConvertedRow } from '../convert/convert-row'
import type { Matching } from '../match/match-rows'
import { type ModeOf, refusalOf } from './write-records'

export interface Writing extends Matching {
  readonly modeOf: ModeOf
  /** Nothing is written; what would be is told. */
  readonly isDryRun: boolean
}

export type Outcome = 'created' | 'updated' | 'unchanged' | 'skipped'

export interface WrittenRow {
  readonly row: ConvertedRow
  readonly outcome: Outcome
  /** Why it was skipped. */
  readonly reason?: string
  /** When the record it met was made, in microseconds. */
  readonly metCreatedAt?: number
}

/** Writes rows that were made ready for it. */
export type WriteRows = () => Promise<WrittenRow[]>

/** Of a row that the service refused. Throws what is no refusal. */
export function skippedFor(error: unknown, row: ConvertedRow): WrittenRow {
  const reason = refusalOf(error)
  if (reason === undefined) throw error
  return { row, outcome: 'skipped', reason }
}
