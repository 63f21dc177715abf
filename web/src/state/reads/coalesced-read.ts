/**
 * Reads again on request. Requests that arrive within a pause cause one read; requests during a read cause one more read after it,
 * so that a read is always completed, however many requests arrive.
 */
export class CoalescedRead {
  readonly #read: () => Promise<void>
  readonly #pauseMs: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  #isRequested = false

  /** `read` handles its errors itself. */
  constructor(read: () => Promise<void>, pauseMs: number) {
    this.#read = read
    this.#pauseMs = pauseMs
  }

  /** Reads without a pause. */
  requestNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isRunning) this.#isRequested = true
    else void this.#run()
  }

  request(): void {
    if (this.#isRunning) this.#isRequested = true
    else this.#timer ??= setTimeout(() => void this.#run(), this.#pauseMs)
  }

  /** Cancels requested reads. A running read is not aborted. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isRequested = false
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isRunning = true
    await this.#read()
    this.#isRunning = false
    if (!this.#isRequested) return
    this.#isRequested = false
    this.request()
  }
}
