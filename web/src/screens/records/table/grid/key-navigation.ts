/** The cell to which a key moves in a table. */

export interface CellPosition {
  readonly row: number
  readonly column: number
}

export interface Extent {
  readonly rows: number
  readonly columns: number
  /** The number of rows that PageUp and PageDown move. */
  readonly page: number
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>

/** Undefined for other keys. */
export function moveCell(
  { key, ctrlKey, metaKey }: Key,
  from: CellPosition,
  { rows, columns, page }: Extent,
): CellPosition | undefined {
  const isFar = ctrlKey || metaKey
  const [lastRow, lastColumn] = [rows - 1, columns - 1]
  const { row, column } = from
  const targets: Readonly<Record<string, CellPosition>> = {
    ArrowDown: { row: isFar ? lastRow : row + 1, column },
    ArrowUp: { row: isFar ? 0 : row - 1, column },
    ArrowRight: { row, column: isFar ? lastColumn : column + 1 },
    ArrowLeft: { row, column: isFar ? 0 : column - 1 },
    PageDown: { row: row + page, column },
    PageUp: { row: row - page, column },
    Home: { row: isFar ? 0 : row, column: 0 },
    End: { row: isFar ? lastRow : row, column: lastColumn },
  }
  const to = targets[key]
  return to && { row: clamp(to.row, lastRow), column: clamp(to.column, lastColumn) }
}

const clamp = (at: number, last: number): number => Math.max(0, Math.min(at, last))

/** The new index of a column that is dropped before or behind another one. */
export function dropIndex(from: number, onto: number, isBehind: boolean): number {
  const gap = isBehind ? onto + 1 : onto
  return from < gap ? gap - 1 : gap
}
