/** Restores a board on Back: its cards, its scroll positions and the focused card. */

import { type Option, optionId } from '../../../api/data-model/attributes'
import { recall } from '../../../router/screen-memory'
import { Board } from './board.svelte'
import type { BoardQuery } from './board-query'

/** The remembered board of the current history entry, or a new one if its query or the options changed. */
export function openBoard(query: BoardQuery, options: readonly Option[]): Board {
  const board = recall(Board)
  const present = options.filter(({ is_archived }) => !is_archived)
  const archived = options.filter(({ is_archived }) => is_archived)
  const ids = [...present, ...archived].map(optionId)
  const isSame =
    board?.columns.map(({ id }) => id).join() === [null, ...ids].join() &&
    JSON.stringify(board.query) === JSON.stringify(query)
  return board && isSame ? board : new Board(query, options)
}

/** An attachment of the element that contains the columns. */
export const keepPosition = (board: Board) => (element: HTMLElement) => {
  const { position } = board
  const lists = () => [...element.querySelectorAll<HTMLElement>('section > ul')]
  element.scrollLeft = position.left
  for (const [at, list] of lists().entries()) list.scrollTop = position.tops[at] ?? 0
  if (position.focusedCard !== '') document.getElementById(position.focusedCard)?.focus({ preventScroll: true })

  const storeScroll = () => {
    position.left = element.scrollLeft
    position.tops = lists().map(({ scrollTop }) => scrollTop)
  }
  const storeFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element) position.focusedCard = target.closest('li')?.id ?? position.focusedCard
  }
  // Scroll events of the columns do not bubble, so they are captured.
  element.addEventListener('scroll', storeScroll, { capture: true, passive: true })
  element.addEventListener('focusin', storeFocus)
  return () => {
    element.removeEventListener('scroll', storeScroll, { capture: true })
    element.removeEventListener('focusin', storeFocus)
  }
}
