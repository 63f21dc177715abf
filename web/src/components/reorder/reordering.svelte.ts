/** The state of a list whose items are moved: by dragging their handles, or by arrow keys on them. */

import { tick } from 'svelte'
import type { Attachment } from 'svelte/attachments'
import { dropPosition } from './positions'

/** Moves an item. The names of items are announced to screen readers. */
type Move = (from: number, to: number) => unknown

export class Reordering {
  /** The index of the dragged item. */
  dragged = $state<number | undefined>()
  /** The last move, for screen readers. */
  announcement = $state('')
  readonly #move: Move
  readonly #count: () => number

  constructor(count: () => number, move: Move) {
    this.#count = count
    this.#move = move
  }

  /** An attachment of the element of an item: it takes the dragged item, and shows the side of the drop in `data-drop`. */
  readonly item =
    (index: number): Attachment<HTMLElement> =>
    (element) => {
      const leave = () => delete element.dataset.drop
      const over = (event: DragEvent) => {
        if (this.dragged === undefined) return
        event.preventDefault()
        if (this.dragged !== index) element.dataset.drop = isBehind(event, element) ? 'behind' : 'before'
      }
      const drop = (event: DragEvent) => {
        leave()
        if (this.dragged === undefined) return
        event.preventDefault()
        this.to(this.dragged, dropPosition(this.dragged, index, isBehind(event, element)))
        this.dragged = undefined
      }
      const listeners = { dragover: over, dragleave: leave, drop }
      for (const [type, listener] of Object.entries(listeners))
        element.addEventListener(type, listener as EventListener) // each takes the event of its type
      return () => {
        for (const [type, listener] of Object.entries(listeners))
          element.removeEventListener(type, listener as EventListener) // as above
      }
    }

  /** Returns whether the item was moved. */
  to(from: number, to: number, name = ''): boolean {
    if (to === from || to < 0 || to >= this.#count()) return false
    this.#move(from, to)
    if (name !== '') this.announcement = `${name} moved to position ${to + 1} of ${this.#count()}.`
    return true
  }

  /** Moves an item by a key, and returns the focus to its handle: the browser takes it from an element that moves. */
  async press(event: KeyboardEvent & { currentTarget: HTMLElement }, index: number, name: string): Promise<void> {
    const targets: Record<string, number> = {
      ArrowUp: index - 1,
      ArrowDown: index + 1,
      Home: 0,
      End: this.#count() - 1,
    }
    const to = targets[event.key]
    if (to === undefined) return
    event.preventDefault()
    const handle = event.currentTarget
    if (!this.to(index, to, name)) return
    await tick()
    handle.focus()
  }
}

function isBehind({ clientY }: DragEvent, element: HTMLElement): boolean {
  const { top, height } = element.getBoundingClientRect()
  return clientY > top + height / 2
}
