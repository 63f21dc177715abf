/** A row that an import skipped, or a value that it left out, and the columns of the CSV file that lists them. */

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
