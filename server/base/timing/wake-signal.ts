/** Lets one loop wait until other code wakes it. A wake without a waiting loop ends the next wait immediately. */

export interface WakeSignal {
  wake(): void
  /** Forgets an earlier wake. A loop calls it before it checks for work. */
  clear(): void
  /** Resolves to true after a wake, which it then forgets. Resolves to false when `ms` pass without one. */
  wait(ms?: number): Promise<boolean>
}

export function createWakeSignal(): WakeSignal {
  let isSet = false
  let endWait = () => {}
  const take = () => {
    const wasSet = isSet
    isSet = false
    return wasSet
  }
  return {
    wake() {
      isSet = true
      endWait()
    },
    clear() {
      isSet = false
    },
    async wait(ms) {
      if (isSet || ms === 0) return take()
      const { promise, resolve } = Promise.withResolvers<void>()
      endWait = resolve
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      await promise
      clearTimeout(timer)
      return take()
    },
  }
}

export interface SubscribedSignal {
  wait(): Promise<boolean>
  /** Ends the subscription. */
  close(): void
}

/** Makes a wake signal that is woken by a subscription, and once by `signal` when that is aborted. */
export function createSubscribedSignal(
  subscribe: (wake: () => void) => () => void,
  signal: AbortSignal,
): SubscribedSignal {
  const { wake, wait } = createWakeSignal()
  const unsubscribe = subscribe(wake)
  signal.addEventListener('abort', wake, { once: true })
  return {
    wait: () => wait(),
    close() {
      unsubscribe()
      signal.removeEventListener('abort', wake)
    },
  }
}
