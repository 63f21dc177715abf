/** The groups of a table that are open, by their keys. This browser stores them for each view and attribute. */

import { SvelteSet } from 'svelte/reactivity'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { ViewState } from '../view-state.svelte'

/** The groups that were opened last. Those of a reference may be many. */
const MAX_STORED = 50

export class OpenGroups {
  readonly #keys: SvelteSet<string>
  readonly #storageKey: string

  constructor({ storageKey, viewId }: Pick<ViewState, 'storageKey' | 'viewId'>, { id }: Attribute) {
    this.#storageKey = `open groups of ${storageKey} ${viewId ?? ''} ${id.attribute_id}`
    this.#keys = new SvelteSet(readKeys(localStorage.getItem(this.#storageKey)))
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  toggle(key: string): void {
    if (!this.#keys.delete(key)) this.#keys.add(key)
    localStorage.setItem(this.#storageKey, JSON.stringify([...this.#keys].slice(-MAX_STORED)))
  }
}

/** Storage that another version wrote may have anything. */
function readKeys(text: string | null): readonly string[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}
