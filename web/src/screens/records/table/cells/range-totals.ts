/** The sums of the numbers in the selected range of a table. */

interface RangeTotal<Column> {
  readonly column: Column
  readonly sum: number
  readonly average: number
}

/** More sums do not fit into a line. */
const MAX_COLUMNS = 3

/** One for each column with more than one number. `numbersOf` returns the numbers of a column in the range. */
export const totalsOfRange = <Column>(
  columns: readonly Column[],
  numbersOf: (column: Column) => readonly number[],
): readonly RangeTotal<Column>[] =>
  columns
    .flatMap((column) => {
      const numbers = numbersOf(column)
      if (numbers.length < 2) return []
      // Sums of decimals are not exact in binary numbers.
      const exact = (number: number) => Number(number.toFixed(4))
      const sum = exact(numbers.reduce((total, number) => total + number, 0))
      return [{ column, sum, average: exact(sum / numbers.length) }]
    })
    .slice(0, MAX_COLUMNS)
