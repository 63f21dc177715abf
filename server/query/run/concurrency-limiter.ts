/**
 * Long statements leave some of the connections to short ones, so that a quick page never waits for the end of somebody's
 * scan. Which are long is learnt from how long they took. Decision 0032.
 */

import { serviceUnavailable } from '../../errors/http'
import { createLru } from '../../caching/lru'

type Lane = 'short' | 'long'

export interface ConcurrencyLimiter {
  /**
   * Does the work when it is its turn; `isLong` is what is expected of a text that was never met. Throws 503 where too many
   * wait already.
   */
  run<T>(text: string, isLong: boolean, work: () => Promise<T>): Promise<T>
}

const LONG_MS = 250
/** Kept for the short, where there are so many. */
const KEPT_FREE = 2
const MOST_KNOWN = 1000
/** Behind so many, a query would have to wait for longer than its client does. */
const MOST_WAITING = 1000
const RETRY_AFTER_MS = 2000

/** `slots` is how many statements may run at once, `mostWaiting` how many may wait for them. */
export function createConcurrencyLimiter(slots: number, mostWaiting = MOST_WAITING): ConcurrencyLimiter {
  const most = { short: slots, long: Math.max(1, slots - KEPT_FREE) }
  const running = { short: 0, long: 0 }
  const waiting: Readonly<Record<Lane, (() => void)[]>> = { short: [], long: [] }
  const durations = createDurations()

  const isFree = (lane: Lane): boolean => running.short + running.long < slots && running[lane] < most[lane]

  async function enter(lane: Lane): Promise<void> {
    if (isFree(lane) && waiting[lane].length === 0) running[lane]++
    else if (waiting.short.length + waiting.long.length >= mostWaiting)
      throw serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
    else await new Promise<void>((resolve) => waiting[lane].push(resolve))
  }

  function leave(lane: Lane): void {
    running[lane]--
    letIn()
  }

  /** The short first, unless no long one runs: none of them waits for ever. */
  function letIn(): void {
    const turns: readonly Lane[] = running.long === 0 ? ['long', 'short'] : ['short', 'long']
    const lane = turns.find((each) => waiting[each].length > 0 && isFree(each))
    if (lane === undefined) return
    running[lane]++
    waiting[lane].shift()?.()
    letIn()
  }

  return {
    async run(text, isLong, work) {
      const lane = (durations.usual(text) ?? (isLong ? LONG_MS : 0)) >= LONG_MS ? 'long' : 'short'
      await enter(lane)
      const startedAt = performance.now()
      try {
        const result = await work()
        durations.note(text, performance.now() - startedAt)
        return result
      } catch (error) {
        // What was ended early would have taken longer.
        durations.noteAtLeast(text, performance.now() - startedAt)
        throw error
      } finally {
        leave(lane)
      }
    },
  }
}

/** How long statements took of late, in milliseconds. */
function createDurations() {
  const known = createLru<string, number>(MOST_KNOWN)
  const note = (text: string, ms: number): void => {
    const before = known.get(text) ?? ms
    known.set(text, (before + ms) / 2)
  }
  return {
    usual: (text: string): number | undefined => known.get(text),
    note,
    noteAtLeast(text: string, ms: number): void {
      if (ms > (known.get(text) ?? 0)) note(text, ms)
    },
  }
}
