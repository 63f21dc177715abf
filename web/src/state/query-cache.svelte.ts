/**
 * What many ask for and one request answers: read when first asked for, wherever that is. A `Loaded` that is made while
 * something is derived is not followed by it, so it is made a moment later, and its arrival is.
 */

import { SvelteMap } from 'svelte/reactivity'
import { Loaded } from './loaded.svelte'
import { session } from './session.svelte'

export class QueryCache<T> {
  readonly #known = new SvelteMap<string, Loaded<T>>()
  readonly #asked = new Set<string>()

  /** By a key of the present workspace; undefined for the moment in which it is asked for. */
  get(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> | undefined {
    const whole = `${session.workspace?.id}/${key}`
    const known = this.#known.get(whole)
    if (!known && !this.#asked.has(whole)) {
      this.#asked.add(whole)
      queueMicrotask(() => this.#known.set(whole, new Loaded(read)))
    }
    return known
  }

  /** For a screen that is opened: what is known is there at once, and read again. Not while something is derived. */
  open(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
    const whole = `${session.workspace?.id}/${key}`
    const known = this.#known.get(whole)
    if (known) {
      void known.load()
      return known
    }
    const fresh = new Loaded(read)
    this.#asked.add(whole)
    this.#known.set(whole, fresh)
    return fresh
  }

  /** To be read again when it is next asked for. */
  forget(): void {
    this.#asked.clear()
    this.#known.clear()
  }
}
