/** Decides which statement runs next. A workspace cannot keep the others waiting: the one with the fewest running statements is next. */

import { serviceUnavailable } from '#base/errors/http'

export interface TurnOptions {
  /** How many statements run at the same time. */
  readonly size: number
  /** How many more wait for their turn. */
  readonly maxWaiting: number
  /** How long one waits. */
  readonly waitMs: number
}

export interface Turns {
  /** Waits for a turn. Throws 503 when too many statements wait, when none ends in time, and when `signal` aborts. */
  take(role: string, signal: AbortSignal | undefined): Promise<void>
  /** Ends the turn of a statement. */
  end(role: string): void
}

interface Waiter {
  readonly role: string
  readonly start: () => void
}

const RETRY_AFTER_MS = 2000

export const busyNow = () => serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))

export function createTurns({ size, maxWaiting, waitMs }: TurnOptions): Turns {
  const waiting: Waiter[] = []
  const running = createCounts()

  function startNext(): void {
    const fewest = Math.min(...waiting.map(({ role }) => running.of(role)))
    const index = waiting.findIndex(({ role }) => running.of(role) === fewest)
    const [next] = index < 0 ? [] : waiting.splice(index, 1)
    if (next === undefined) return
    running.add(next.role, 1)
    next.start()
  }

  async function wait(role: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { role, start: resolve }
    const leave = () => {
      const index = waiting.indexOf(waiter)
      if (index >= 0) waiting.splice(index, 1)
      reject(busyNow())
    }
    waiting.push(waiter)
    const timer = setTimeout(leave, waitMs)
    signal?.addEventListener('abort', leave)
    await promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    })
  }

  return {
    async take(role, signal) {
      if (signal?.aborted === true || waiting.length >= maxWaiting) throw busyNow()
      if (running.total() >= size || waiting.length > 0) return wait(role, signal)
      running.add(role, 1)
    },
    end(role) {
      running.add(role, -1)
      startNext()
    },
  }
}

/** Counts by role, and in total. */
function createCounts() {
  const counts = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    of: (role: string): number => counts.get(role) ?? 0,
    add(role: string, change: 1 | -1): void {
      total += change
      const count = (counts.get(role) ?? 0) + change
      if (count > 0) counts.set(role, count)
      else counts.delete(role)
    },
  }
}
