/** A board as it was left, for whoever comes back to it: its cards, how far it is scrolled, and the card that had the keys. */

import type { Attribute, Choice, EntityTypePath } from '../../../api/attributes'
import { choiceId } from '../../../api/attributes'
import { recall } from '../../../router/history-state'
import { Board } from './board.svelte'

/** The board of this entry of the history; a new one when there is none, or the statuses are others now. */
export function openBoard(entityType: EntityTypePath, attribute: Attribute, choices: readonly Choice[]): Board {
  const left = recall(Board)
  const ids = choices.filter(({ is_archived }) => !is_archived).map(choiceId)
  const isSame = left?.columns.map(({ id }) => id).join() === [null, ...ids].join()
  return left && isSame ? left : new Board(entityType, attribute, choices)
}

/** For the element that has the columns in it. */
export const keepPlace = (board: Board) => (element: HTMLElement) => {
  const { place } = board
  const lists = () => [...element.querySelectorAll<HTMLElement>('section > ul')]
  element.scrollLeft = place.left
  for (const [at, list] of lists().entries()) list.scrollTop = place.tops[at] ?? 0
  if (place.cardId !== '') document.getElementById(place.cardId)?.focus({ preventScroll: true })

  const noteScroll = () => {
    place.left = element.scrollLeft
    place.tops = lists().map(({ scrollTop }) => scrollTop)
  }
  const noteCard = ({ target }: FocusEvent) => {
    if (target instanceof Element) place.cardId = target.closest('li')?.id ?? place.cardId
  }
  // Columns scroll for themselves, of which only those who catch it on its way down hear.
  element.addEventListener('scroll', noteScroll, { capture: true, passive: true })
  element.addEventListener('focusin', noteCard)
  return () => {
    element.removeEventListener('scroll', noteScroll, { capture: true })
    element.removeEventListener('focusin', noteCard)
  }
}
