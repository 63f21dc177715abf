/** Counts the requests that this process receives, so that work in the background knows whether it shares the process with any. */

export interface RequestCounter {
  /** The number of requests since the start. */
  readonly total: number
  add(): void
}

export function createRequestCounter(): RequestCounter {
  let total = 0
  return {
    get total() {
      return total
    },
    add() {
      total++
    },
  }
}
