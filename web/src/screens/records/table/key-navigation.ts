/** Where a key leads in a table. */

export interface Place {
  readonly row: number
  readonly column: number
}

export interface Extent {
  readonly rows: number
  readonly columns: number
  /** How many rows are seen at once. */
  readonly page: number
}

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>

/** Undefined for keys that lead nowhere. */
export function moveCell(
  { key, ctrlKey, metaKey }: Pressed,
  from: Place,
  { rows, columns, page }: Extent,
): Place | undefined {
  const isFar = ctrlKey || metaKey
  const [lastRow, lastColumn] = [rows - 1, columns - 1]
  const { row, column } = from
  const places: Readonly<Record<string, Place>> = {
    ArrowDown: { row: isFar ? lastRow : row + 1, column },
    ArrowUp: { row: isFar ? 0 : row - 1, column },
    ArrowRight: { row, column: isFar ? lastColumn : column + 1 },
    ArrowLeft: { row, column: isFar ? 0 : column - 1 },
    PageDown: { row: row + page, column },
    PageUp: { row: row - page, column },
    Home: { row: isFar ? 0 : row, column: 0 },
    End: { row: isFar ? lastRow : row, column: lastColumn },
  }
  const to = places[key]
  return to && { row: within(to.row, lastRow), column: within(to.column, lastColumn) }
}

const within = (at: number, last: number): number => Math.max(0, Math.min(at, last))

/** Where a column comes to stand that is dropped on another one, on its near or far side. */
export function dropIndex(from: number, onto: number, isBehind: boolean): number {
  const gap = isBehind ? onto + 1 : onto
  return from < gap ? gap - 1 : gap
}
