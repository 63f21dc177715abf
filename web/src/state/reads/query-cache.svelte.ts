/**
 * Data that many components use and one request loads. The first use starts the request. A `RemoteData` that is created inside a
 * `$derived` is not tracked by it, so `get` creates the `RemoteData` in a microtask.
 */

import { SvelteMap } from 'svelte/reactivity'
import { RemoteData } from './remote-data.svelte'
import { session } from '../session.svelte'

export class QueryCache<T> {
  readonly #entries = new SvelteMap<string, RemoteData<T>>()
  readonly #requested = new Set<string>()

  /** The entry of a key in the current workspace. Undefined until the microtask. */
  get(key: string, read: (signal: AbortSignal) => Promise<T>): RemoteData<T> | undefined {
    const cacheKey = `${session.workspace?.id}/${key}`
    const entry = this.#entries.get(cacheKey)
    if (!entry && !this.#requested.has(cacheKey)) {
      this.#requested.add(cacheKey)
      queueMicrotask(() => this.#entries.set(cacheKey, new RemoteData(read)))
    }
    return entry
  }

  /** The entry of a key in the current workspace, if `get` or `open` created it. */
  find(key: string): RemoteData<T> | undefined {
    return this.#entries.get(`${session.workspace?.id}/${key}`)
  }

  /** The entry for a screen that opens: cached data is shown at once and loaded again. Not for use in a `$derived`. */
  open(key: string, read: (signal: AbortSignal) => Promise<T>): RemoteData<T> {
    const cacheKey = `${session.workspace?.id}/${key}`
    const entry = this.#entries.get(cacheKey)
    if (entry) {
      // Another part of the screen may have begun to read.
      if (!entry.isLoading) void entry.load()
      return entry
    }
    const fresh = new RemoteData(read)
    this.#requested.add(cacheKey)
    this.#entries.set(cacheKey, fresh)
    return fresh
  }

  /** The data of the entry of a key in the current workspace, which is read when it is missing. Throws the error of the read. */
  async load(key: string, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return (this.find(key) ?? this.open(key, read)).loaded()
  }

  clear(): void {
    this.#requested.clear()
    this.#entries.clear()
  }
}
