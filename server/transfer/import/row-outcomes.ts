/** What an import made of the rows of a file: their number by result, and what it skipped or left out. */

/** The result of a row. */
export type RowOutcome = 'created' | 'updated' | 'unchanged' | 'skipped'

/** The number of rows of a file that an import has read, by result. */
export interface RowCounts extends Readonly<Record<RowOutcome, number>> {
  readonly read: number
  /** Rows about a record that an earlier row of the same file created. */
  readonly repeated: number
  /** Rows imported without some of their values. */
  readonly incomplete: number
}

export const NO_ROWS: RowCounts = {
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  repeated: 0,
  incomplete: 0,
}

export const addCounts = (one: RowCounts, other: RowCounts): RowCounts => ({
  read: one.read + other.read,
  created: one.created + other.created,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
  skipped: one.skipped + other.skipped,
  repeated: one.repeated + other.repeated,
  incomplete: one.incomplete + other.incomplete,
})

// Rows that an import skipped, and values that it left out, with the columns of the CSV file that lists them.

export interface CellProblem {
  readonly column: string
  readonly value: string
  readonly reason: string
}

export interface RowProblem extends CellProblem {
  readonly line: number
  /** Whether the import skipped the whole row or left out one value. */
  readonly outcome: 'skipped' | 'left out'
}

/** docs/import.md (What could not be imported) */
export const PROBLEM_COLUMNS = [
  'line',
  'outcome',
  'column',
  'value',
  'reason',
] as const satisfies readonly (keyof RowProblem)[]

export const problemCells = (problem: RowProblem): (string | number)[] =>
  PROBLEM_COLUMNS.map((column) => problem[column])
