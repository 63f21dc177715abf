/** The selected rows of a table: loaded ones by their ids, or everything that matches its filter. */

import { SvelteSet } from 'svelte/reactivity'
import type { Rows } from '../rows.svelte'

export class Selection {
  readonly ids: SvelteSet<string>
  #isEverything = $state(false)
  /** The first row of a selection with Shift. */
  from = 0
  readonly #rows: () => Rows
  readonly #whole: Selection | undefined

  /** `rows` returns the rows that the table shows now. `whole` is the selection of the table of which this one has a group. */
  constructor(rows: () => Rows, whole?: Selection) {
    this.#rows = rows
    this.#whole = whole
    this.ids = whole?.ids ?? new SvelteSet()
  }

  /** Whether everything that matches the filter is selected, loaded or not. */
  get isEverything(): boolean {
    return this.#whole?.isEverything ?? this.#isEverything
  }

  #setEverything(isEverything: boolean): void {
    if (this.#whole) this.#whole.#setEverything(isEverything)
    else this.#isEverything = isEverything
  }

  /** The number of selected rows that are known by their ids. */
  get count(): number {
    return this.ids.size
  }

  get isAll(): boolean {
    const rows = this.#rows()
    if (this.isEverything || rows.count === 0) return this.isEverything
    return this.#whole ? [...rows.ids].every((id) => this.ids.has(id)) : this.count >= rows.loadedCount
  }

  /** Whether some of the rows are selected. */
  get isPartly(): boolean {
    if (!this.#whole || this.count === 0) return this.count > 0
    return this.isEverything || [...this.#rows().ids].some((id) => this.ids.has(id))
  }

  has(id: string): boolean {
    return this.isEverything || this.ids.has(id)
  }

  clear(): void {
    this.#setEverything(false)
    this.ids.clear()
  }

  selectEverything(): void {
    this.#setEverything(true)
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.ids.delete(id)
  }

  /** Selects all loaded rows, or none if all are selected. */
  toggleAll(): void {
    if (this.isAll && this.#whole && !this.isEverything) this.remove(this.#rows().ids)
    else if (this.isAll) this.clear()
    else this.addBetween(0, this.#rows().count - 1)
  }

  /** Toggles a row. With `isRange` it selects the rows from `from` to this one. */
  toggle(row: number, isRange: boolean): void {
    const entity = this.#rows().at(row)
    if (!entity) return
    if (isRange) return this.addBetween(this.from, row)
    this.#selectLoaded()
    if (!this.ids.delete(entity.id)) this.ids.add(entity.id)
    this.from = row
  }

  /** Selects the rows between two rows, both included. */
  addBetween(from: number, to: number): void {
    this.#selectLoaded()
    const [first, last] = from < to ? [from, to] : [to, from]
    for (let at = first; at <= last; at += 1) {
      const entity = this.#rows().at(at)
      if (entity) this.ids.add(entity.id)
    }
  }

  /** Selects the loaded rows instead of everything, before one of them is taken out. */
  #selectLoaded(): void {
    if (!this.isEverything) return
    this.#setEverything(false)
    this.#whole?.addLoaded()
    this.addLoaded()
  }

  addLoaded(): void {
    for (const id of this.#rows().ids) this.ids.add(id)
  }
}
