/** The rows that a grid renders, and the order of their elements. For use while a component is created. */

import type { Rows } from '../rows.svelte'
import type { ScrollState } from './scroll-state.svelte'
import { inOrderOf, maxRendered, visibleWindow } from './window'

interface GridSize {
  /** In pixels. */
  readonly rowHeight: number
  readonly height: number
}

export class VisibleRows {
  readonly #rows: () => Rows
  readonly #scroll: ScrollState
  readonly #size: GridSize
  /** The slots in the order of their elements at rest, which is that of the rows. */
  #slots: readonly number[] = []

  /** The members of `size` are read again whenever they are needed. */
  constructor(rows: () => Rows, scroll: ScrollState, size: GridSize) {
    this.#rows = rows
    this.#scroll = scroll
    this.#size = size
    $effect(() => this.#rows().need(this.first, this.end))
    $effect(() => {
      if (!scroll.isScrolling) this.#slots = this.#indexes.map((index) => this.slotOf(index))
    })
  }

  readonly #window = $derived.by(() => {
    const { rowHeight, height } = this.#size
    return visibleWindow(this.#rows().count, rowHeight, { scrollTop: this.#scroll.top, height })
  })

  // Most scroll events leave the rows as they are, so what depends on them depends on numbers.
  readonly first: number = $derived(this.#window.first)
  readonly end: number = $derived(this.#window.end)
  readonly #base = $derived(this.#window.base)
  readonly #indexes = $derived(Array.from({ length: this.end - this.first }, (_, at) => this.first + at))
  readonly #slotCount = $derived.by(() => maxRendered(this.#size.rowHeight, this.#size.height))

  /** The indexes of the rows, in the order of their elements. */
  readonly rendered: readonly number[] = $derived.by(() =>
    this.#scroll.isScrolling ? inOrderOf(this.#indexes, this.#slotCount, this.#slots) : this.#indexes,
  )

  /** The height of all rows, in pixels. */
  get height(): number {
    return this.#window.height
  }

  get top(): number {
    return this.#window.top
  }

  has(index: number): boolean {
    return index >= this.first && index < this.end
  }

  /** The element of a row that leaves the window takes the row with the same slot that enters it. */
  slotOf(index: number): number {
    return index % this.#slotCount
  }

  /** The offset of a row from `top`, in pixels. */
  offsetOf(index: number): number {
    return (index - this.#base) * this.#size.rowHeight
  }
}
