/** Restores a board on Back: its cards, its scroll positions and the focused card. */

import type { Attribute, Option, EntityTypePath } from '../../../api/data-model/attributes'
import { optionId } from '../../../api/data-model/attributes'
import { recall } from '../../../router/screen-memory'
import { Board } from './board.svelte'

/** The remembered board of the current history entry, or a new one if the statuses changed. */
export function openBoard(entityType: EntityTypePath, attribute: Attribute, options: readonly Option[]): Board {
  const board = recall(Board)
  const ids = options.filter(({ is_archived }) => !is_archived).map(optionId)
  const isSame = board?.columns.map(({ id }) => id).join() === [null, ...ids].join()
  return board && isSame ? board : new Board(entityType, attribute, options)
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
