/** The listeners of a hub, by the id of what they listen to. */

export interface Listeners<T> {
  /** The returned function removes the listener. */
  subscribe(id: string, listener: (message: T) => void): () => void
  call(id: string, message: T): void
  callAll(message: T): void
}

export function createListeners<T>(): Listeners<T> {
  const byId = new Map<string, Set<(message: T) => void>>()
  const call = (id: string, message: T) => {
    for (const listener of byId.get(id) ?? []) listener(message)
  }
  return {
    subscribe(id, listener) {
      const listeners = byId.get(id) ?? new Set()
      byId.set(id, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) byId.delete(id)
      }
    },
    call,
    callAll(message) {
      for (const id of byId.keys()) call(id, message)
    },
  }
}
