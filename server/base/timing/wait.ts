/** Delayed calls, pauses, time limits, wake signals. */

import { runOutsideScope } from '#base/monitoring/trace-context'

interface DelayedCall {
  request(): void
  cancel(): void
}

/** Calls `work` once, `ms` after the first of any number of requests. Does not keep the process running. */
export function createDelayedCall(work: () => void, ms: number): DelayedCall {
  let timer: Timer | undefined
  return {
    request() {
      timer ??= runOutsideScope(() =>
        setTimeout(() => {
          timer = undefined
          work()
        }, ms).unref(),
      )
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

const MAX_PAUSE_MS = 1_000

/** Pauses for as long as a step took, at most a second. So a worker with many steps uses at most half of the time of a connection. */
export const pauseAfterStep = (stepMs: number): Promise<void> => Bun.sleep(Math.min(stepMs, MAX_PAUSE_MS))

/** Reads a stream whose sender may stop or be slow. */
export interface ReadLimits {
  /** How long the next bytes may take. */
  readonly idleMs: number
  /** How long all bytes may take. */
  readonly totalMs: number
}

/** The stream reached a time limit. */
export class ReadTimeout extends Error {}

/** Yields the chunks of a stream. Throws `ReadTimeout` at a limit. Cancels the stream when the reader stops before its end. */
export async function* readWithin(
  stream: ReadableStream<Uint8Array>,
  { idleMs, totalMs }: ReadLimits,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  const endsAt = performance.now() + totalMs
  try {
    for (;;) {
      const result = await withTimeout(reader.read(), Math.min(idleMs, endsAt - performance.now()))
      if (result === undefined) throw new ReadTimeout('The stream reached its time limit.')
      if (result.done) return
      yield result.value
    }
  } finally {
    // A stream that has failed rejects the cancellation with the same error.
    void reader.cancel().catch(() => {})
  }
}

/** Resolves as `promise` does, and rejects with the reason of `signal` when that is aborted first. */
export function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** Returns the value of a promise, or undefined after a timeout. The work continues, and its result is ignored. */
export async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms, undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

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

/**
 * Waits for statements of one transaction that are sent together. Throws the first error after all of them have ended,
 * because the transaction must not be rolled back while one of them runs.
 */
export async function settleAll(statements: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(statements)
  await Promise.all(statements)
}
