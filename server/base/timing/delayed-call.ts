/** Calls `work` once, `ms` after the first of any number of requests. Does not keep the process running. */

export interface DelayedCall {
  request(): void
  cancel(): void
}

export function createDelayedCall(work: () => void, ms: number): DelayedCall {
  let timer: Timer | undefined
  return {
    request() {
      timer ??= setTimeout(() => {
        timer = undefined
        work()
      }, ms).unref()
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
