/** Caches compiled queries, with a limit on their bytes. The least recently used ones are removed first. */

import { createLru } from '#base/caching/lru'

export interface SizedCache<V extends {}> {
  get(key: string): V | undefined
  /** Does not cache a value that takes more than a tenth of the cache. */
  set(key: string, value: V, bytes: number): void
  readonly bytes: number
}

export function createSizedCache<V extends {}>(maxBytes: number): SizedCache<V> {
  const entries = createLru<string, { readonly value: V; readonly bytes: number }>(Infinity)
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, bytes) {
      remove(key)
      if (bytes > maxBytes / 10) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break
        remove(oldest)
      }
    },
    get bytes() {
      return total
    },
  }
}
