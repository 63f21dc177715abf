/** The widths of columns that a person changed, in rem. This browser stores them. */

import type { Attribute } from '../../../../api/data-model/attributes'

const MIN = 3
const MAX = 60

type Widths = Readonly<Record<string, number>>

export class ColumnWidths {
  readonly #storageKey: string
  #byAttribute = $state.raw<Widths>({})

  constructor(storageKey: string) {
    this.#storageKey = storageKey
    this.#byAttribute = readWidths(localStorage.getItem(storageKey))
  }

  /** Undefined for the width of the attribute type. */
  of({ id }: Attribute): number | undefined {
    return this.#byAttribute[id.attribute_id]
  }

  /** Sets a width, which `store` stores. */
  set({ id }: Attribute, width: number): void {
    const rounded = Math.round(Math.max(MIN, Math.min(width, MAX)) * 16) / 16
    this.#byAttribute = { ...this.#byAttribute, [id.attribute_id]: rounded }
  }

  reset({ id }: Attribute): void {
    const { [id.attribute_id]: _reset, ...others } = this.#byAttribute
    this.#byAttribute = others
    this.store()
  }

  store(): void {
    localStorage.setItem(this.#storageKey, JSON.stringify(this.#byAttribute))
  }
}

/** Storage that another version wrote may have anything. */
function readWidths(text: string | null): Widths {
  try {
    const stored: unknown = JSON.parse(text ?? '{}')
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return Object.fromEntries(entries.filter(([, width]) => typeof width === 'number' && width >= MIN && width <= MAX))
  } catch {
    return {}
  }
}
