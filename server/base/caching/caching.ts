/** A cache with a maximum size. A new entry replaces the least recently used one. */

export interface Lru<K, V extends {}> {
  readonly size: number
  /** Counts as a use. */
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
  /** In the order of use, the least recently used first. */
  keys(): IterableIterator<K>
}

export function createLru<K, V extends {}>(most: number): Lru<K, V> {
  // A map keeps its entries in the order in which they were set.
  const entries = new Map<K, V>()
  let newest: { readonly key: K } | undefined

  function set(key: K, value: V): void {
    entries.delete(key)
    entries.set(key, value)
    newest = { key }
    if (entries.size <= most) return
    const [oldest] = entries.keys()
    entries.delete(oldest as K) // the map is not empty
  }

  return {
    get size() {
      return entries.size
    },
    get(key) {
      const value = entries.get(key)
      if (value !== undefined && newest?.key !== key) set(key, value)
      return value
    },
    set,
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    keys: () => entries.keys(),
  }
}

/**
 * Returns a function that returns the first of all equal texts that it got, so that memory holds each text once. It begins anew after `most`
 * different texts.
 */
export function createTextPool(most = Infinity): <T extends string>(text: T) => T {
  const texts = new Map<string, string>()
  return <T extends string>(text: T) => {
    const first = texts.get(text)
    if (first !== undefined) return first as T // it equals the text
    if (texts.size >= most) texts.clear()
    texts.set(text, text)
    return text
  }
}

/** Returns a function that loads at its first call and returns the same result from then on. A failed load is tried again. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
}
