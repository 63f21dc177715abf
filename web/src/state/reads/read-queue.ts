/**
 * Runs the reads of a list one after the other: each one begins with what the one before it read, so that a page of older items
 * and a refresh never replace each other's result.
 */
export class ReadQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** `read` starts when the reads before it have ended, also when one of them failed. */
  run<T>(read: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(read, read)
    this.#last = mine.catch(() => undefined)
    return mine
  }
}
