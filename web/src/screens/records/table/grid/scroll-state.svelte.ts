/** The scroll position of a grid, and whether it is being scrolled. */

import type { Table } from '../table.svelte'

/** The time after a scroll event until the grid is at rest. */
const REST_MS = 150

export class ScrollState {
  top = $state(0)
  left = $state(0)
  isScrolling = $state(false)
  readonly #table: Table
  #timer: ReturnType<typeof setTimeout> | undefined

  /** A restored table renders the rows at its scroll position from the beginning. */
  constructor(table: Table) {
    this.#table = table
    if (!table.isRestored) return
    this.top = table.scroll.top
    this.left = table.scroll.left
  }

  /** For the scroll event of the grid. Reading a position may cause a layout, so it is read once. */
  follow = ({ currentTarget: grid }: { readonly currentTarget: Element }): void => {
    this.top = grid.scrollTop
    this.left = grid.scrollLeft
    this.#table.scroll = { top: this.top, left: this.left }
    this.isScrolling = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.isScrolling = false), REST_MS)
  }
}
