/** The selected range of cells of a table: from the active cell to its end. */

import type { CellPosition } from '../grid/key-navigation'

/** Rows and columns by their index, the last ones included. */
export interface Box {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

const boxOf = (one: CellPosition, other: CellPosition): Box => ({
  top: Math.min(one.row, other.row),
  bottom: Math.max(one.row, other.row),
  left: Math.min(one.column, other.column),
  right: Math.max(one.column, other.column),
})

export const heightOf = ({ top, bottom }: Box): number => bottom - top + 1
export const widthOf = ({ left, right }: Box): number => right - left + 1

/** The rows of a longer range may be unloaded. */
const MAX_RANGE_ROWS = 2000

export class CellRange {
  readonly #active: () => CellPosition
  /** The range ends with the move of the active cell. */
  #reach = $state.raw<{ readonly from: CellPosition; readonly end: CellPosition } | undefined>()

  constructor(active: () => CellPosition) {
    this.#active = active
  }

  readonly end: CellPosition = $derived.by(() => {
    const active = this.#active()
    const reach = this.#reach
    return reach && isSame(reach.from, active) ? reach.end : active
  })

  readonly box: Box = $derived.by(() => boxOf(this.#active(), this.end))
  readonly isSingle: boolean = $derived.by(() => isSame(this.#active(), this.end))

  extendTo({ row, column }: CellPosition): void {
    const from = this.#active()
    const nearest = Math.max(from.row - MAX_RANGE_ROWS + 1, Math.min(row, from.row + MAX_RANGE_ROWS - 1))
    this.#reach = { from, end: { row: nearest, column } }
  }

  collapse(): void {
    this.#reach = undefined
  }
}

const isSame = (one: CellPosition, other: CellPosition): boolean => one.row === other.row && one.column === other.column
