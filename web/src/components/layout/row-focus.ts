/** Moves the focus between the rows of a list, which have the attribute `data-row`. */

import { tick } from 'svelte'

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-row]')]

/** The row with the focus, unless a control inside it has the focus. */
export const focusedRow = (list: HTMLElement): string | undefined =>
  rowsIn(list).find((row) => row === document.activeElement)?.dataset.row

/** Arrow keys, `j` and `k`, Home and End. Returns whether the key moved the focus. */
export function moveFocus(list: HTMLElement, { key }: KeyboardEvent): boolean {
  const rows = rowsIn(list)
  const current = rows.findIndex((row) => row === document.activeElement)
  const by = MOVES[key]
  const index = key === 'Home' ? 0 : key === 'End' ? rows.length - 1 : by === undefined ? -1 : current + by
  const row = rows[current === -1 ? 0 : index]
  if (by === undefined && key !== 'Home' && key !== 'End') return false
  row?.focus()
  return true
}

/** The row that takes the focus when the focused one is removed. */
export function neighbourOf(list: HTMLElement, id: string): string | undefined {
  const rows = rowsIn(list)
  const index = rows.findIndex((row) => row.dataset.row === id)
  return (rows[index + 1] ?? rows[index - 1])?.dataset.row
}

export const focusRow = (list: HTMLElement, id: string | undefined): void =>
  rowsIn(list)
    .find((row) => row.dataset.row === id)
    ?.focus()

/** Reads more rows and moves the focus to the first new one, because the button for more rows may disappear. */
export async function readAndFocus(list: HTMLElement, read: () => Promise<unknown>): Promise<void> {
  const before = rowsIn(list).length
  await read()
  await tick()
  rowsIn(list)[before]?.focus()
}
