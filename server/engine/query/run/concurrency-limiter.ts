/**
 * Limits how many long statements run concurrently, so that some connections stay free for short ones. A statement is long or
 * short by how long its text took before. See docs/decisions/queries.md.
 */

import { serviceUnavailable } from '#base/errors/http'
import { createLru } from '#base/caching/caching'

type Duration = 'short' | 'long'

export interface ConcurrencyLimiter {
  /**
   * Runs the work when its turn comes. `isLong` is the expectation for a text that has not run before. Throws 503 when too
   * many statements wait.
   */
  run<T>(text: string, isLong: boolean, work: () => Promise<T>): Promise<T>
}

const LONG_MS = 250
/** Slots that only short statements use. */
const SLOTS_FOR_SHORT = 2
const MAX_TEXTS = 1000
/** With a longer queue, clients would time out before their turn. */
const MAX_WAITING = 1000
const RETRY_AFTER_MS = 2000

/** At most `slots` statements run concurrently, and at most `maxWaiting` wait. */
export function createConcurrencyLimiter(slots: number, maxWaiting = MAX_WAITING): ConcurrencyLimiter {
  const limits = { short: slots, long: Math.max(1, slots - SLOTS_FOR_SHORT) }
  const running = { short: 0, long: 0 }
  const queues: Readonly<Record<Duration, (() => void)[]>> = { short: [], long: [] }
  const averages = createAverages()

  const isFree = (duration: Duration): boolean =>
    running.short + running.long < slots && running[duration] < limits[duration]

  async function acquireSlot(duration: Duration): Promise<void> {
    if (isFree(duration) && queues[duration].length === 0) running[duration]++
    else if (queues.short.length + queues.long.length >= maxWaiting)
      throw serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
    else await new Promise<void>((resolve) => queues[duration].push(resolve))
  }

  function releaseSlot(duration: Duration): void {
    running[duration]--
    startNext()
  }

  /** Short statements go first, unless no long one runs. So every statement gets its turn. */
  function startNext(): void {
    const order: readonly Duration[] = running.long === 0 ? ['long', 'short'] : ['short', 'long']
    const duration = order.find((each) => queues[each].length > 0 && isFree(each))
    if (duration === undefined) return
    running[duration]++
    queues[duration].shift()?.()
    startNext()
  }

  return {
    async run(text, isLong, work) {
      const duration = (averages.of(text) ?? (isLong ? LONG_MS : 0)) >= LONG_MS ? 'long' : 'short'
      await acquireSlot(duration)
      const startedAt = performance.now()
      try {
        const result = await work()
        averages.add(text, performance.now() - startedAt)
        return result
      } catch (error) {
        // A cancelled statement would have taken longer.
        averages.addAtLeast(text, performance.now() - startedAt)
        throw error
      } finally {
        releaseSlot(duration)
      }
    },
  }
}

/** A moving average of the milliseconds that each statement text took. */
function createAverages() {
  const cached = createLru<string, number>(MAX_TEXTS)
  const add = (text: string, ms: number): void => {
    const previous = cached.get(text) ?? ms
    cached.set(text, (previous + ms) / 2)
  }
  return {
    of: (text: string): number | undefined => cached.get(text),
    add,
    addAtLeast(text: string, ms: number): void {
      if (ms > (cached.get(text) ?? 0)) add(text, ms)
    },
  }
}
