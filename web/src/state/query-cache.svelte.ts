/**
 * Data that many components use and one request loads. The first use starts the request. A `Loaded` that is created inside a
 * `$derived` is not tracked by it, so `get` creates the `Loaded` in a microtask.
 */

import { SvelteMap } from 'svelte/reactivity'
import { Loaded } from './loaded.svelte'
import { session } from './session.svelte'

export class QueryCache<T> {
  readonly #entries = new SvelteMap<string, Loaded<T>>()
  readonly #requested = new Set<string>()

  /** The entry of a key in the current workspace. Undefined until the microtask. */
  get(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> | undefined {
    const whole = `${session.workspace?.id}/${key}`
    const entry = this.#entries.get(whole)
    if (!entry && !this.#requested.has(whole)) {
      this.#requested.add(whole)
      queueMicrotask(() => this.#entries.set(whole, new Loaded(read)))
    }
    return entry
  }

  /** The entry for a screen that opens: cached data is shown at once and loaded again. Not for use in a `$derived`. */
  open(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
    const whole = `${session.workspace?.id}/${key}`
    const entry = this.#entries.get(whole)
    if (entry) {
      void entry.load()
      return entry
    }
    const fresh = new Loaded(read)
    this.#requested.add(whole)
    this.#entries.set(whole, fresh)
    return fresh
  }

  /** Empties the cache. */
  forget(): void {
    this.#requested.clear()
    this.#entries.clear()
  }
}
