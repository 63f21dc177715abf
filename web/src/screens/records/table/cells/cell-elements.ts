/** The elements of cells. A cell has `data-column`; its row has `data-row` and, once it is loaded, `data-entity`. */

import type { CellPosition } from '../grid/key-navigation'

export const findCell = (grid: HTMLElement, { row, column }: CellPosition): HTMLElement | null =>
  grid.querySelector(`[data-row="${row}"] > [data-column="${column}"]`)

/** Undefined outside of cells. */
export function positionOf(target: EventTarget | null): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null
  const row = rowOf(cell)
  return cell && row ? { row: Number(row.dataset.row), column: Number(cell.dataset.column) } : undefined
}

/** The id of the record or entry that the row of a cell shows now. A row shows others while a person scrolls. */
export const entityIdAt = (cell: Element): string | undefined => rowOf(cell)?.dataset.entity

const rowOf = (cell: Element | null): HTMLElement | null => cell?.closest<HTMLElement>('[data-row]') ?? null
