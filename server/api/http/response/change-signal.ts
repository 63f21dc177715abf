/** A signal that something may have changed. Many notifications in a short time are one signal. */

export const CHANGED = Symbol('changed')

const DELAY_MS = 250

export interface ChangeSignal {
  notify(): void
  /** Resolves after a notification, until `clear` is called. */
  next(): Promise<typeof CHANGED>
  clear(): void
  /** Cancels a pending notification. */
  end(): void
}

export function createChangeSignal(): ChangeSignal {
  let isChanged = false
  let resolve: ((changed: typeof CHANGED) => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const deliver = () => {
    timer = undefined
    isChanged = true
    resolve?.(CHANGED)
  }
  return {
    notify() {
      timer ??= setTimeout(deliver, DELAY_MS)
    },
    next() {
      if (isChanged) return Promise.resolve(CHANGED)
      const signal = Promise.withResolvers<typeof CHANGED>()
      resolve = signal.resolve
      return signal.promise
    },
    clear() {
      isChanged = false
    },
    end: () => clearTimeout(timer),
  }
}
