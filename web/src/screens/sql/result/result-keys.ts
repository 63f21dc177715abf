/** What keys do in the grid of a result. */

import { type CellPosition, moveCell } from '../../records/table/grid/key-navigation'

export interface ResultGridView {
  readonly rows: number
  readonly columns: number
  /** How many rows PageUp and PageDown move. */
  readonly rowsPerPage: number
  readonly active: CellPosition
  moveTo(to: CellPosition): void
  open(): void
  copy(): void
}

/** Returns whether the grid used the key. */
export function pressKey(event: KeyboardEvent, grid: ResultGridView): boolean {
  if (event.altKey) return false
  const extent = { rows: grid.rows, columns: grid.columns, page: grid.rowsPerPage }
  const to = moveCell(event, grid.active, extent)
  if (to) grid.moveTo(to)
  else if (event.key === 'Enter') grid.open()
  else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && getSelection()?.isCollapsed !== false) grid.copy()
  else return false
  return true
}
