/** Restores the scroll position of a table, and scrolls it on request. */

import type { Table } from '../table.svelte'

/** An attachment of the grid, which scrolls and has the focus. */
export const restoreScroll = (table: Table) => (grid: HTMLElement) => {
  if (table.isRestored) {
    grid.scrollTo(table.scroll)
    grid.focus({ preventScroll: true })
  }
  table.isRestored = false

  $effect(() => {
    const request = table.scrollRequest
    if (!request) return
    table.scrollRequest = undefined
    const rowHeight = grid.querySelector<HTMLElement>('[role=row]')?.offsetHeight ?? 0
    grid.scrollTop = request === 'top' ? 0 : grid.scrollTop + request.rows * rowHeight
    if (request === 'top') grid.focus({ preventScroll: true })
  })
}
