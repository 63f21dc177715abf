/** Where a table is scrolled: kept for whoever comes back to it, and changed where rows above the reader come or go. */

import type { Table } from './table.svelte'

/** For the element that scrolls, which has the keys as well. */
export const keepScroll = (table: Table) => (grid: HTMLElement) => {
  if (table.isLeft) {
    grid.scrollTo(table.scroll)
    grid.focus({ preventScroll: true })
  }
  table.isLeft = false

  const note = () => (table.scroll = { top: grid.scrollTop, left: grid.scrollLeft })
  grid.addEventListener('scroll', note, { passive: true })
  $effect(() => {
    const wanted = table.wantedScroll
    if (!wanted) return
    table.wantedScroll = undefined
    const rowHeight = grid.querySelector<HTMLElement>('[role=row]')?.offsetHeight ?? 0
    grid.scrollTop = wanted === 'top' ? 0 : grid.scrollTop + wanted.rows * rowHeight
    if (wanted === 'top') grid.focus({ preventScroll: true })
  })
  return () => grid.removeEventListener('scroll', note)
}
