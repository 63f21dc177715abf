/** Data that a screen loads: its value, its error, and whether a read is running. */

import { type ApiError, toApiError } from '../../api/errors'

export class RemoteData<T> {
  data = $state.raw<T | undefined>()
  error = $state.raw<ApiError | undefined>()
  isLoading = $state(true)
  #read: (signal: AbortSignal) => Promise<T>
  #running: AbortController | undefined
  #reading: Promise<void> = Promise.resolve()
  #lastWrite: Promise<unknown> = Promise.resolve()

  /** Starts the first read. */
  constructor(read: (signal: AbortSignal) => Promise<T>) {
    this.#read = read
    void this.load()
  }

  /** Reads again. The old data stays until the new data arrives. */
  load(): Promise<void> {
    this.#reading = this.#load()
    return this.#reading
  }

  /** The data, after the first read. Throws the error of a read that failed, after a second one. */
  async loaded(): Promise<T> {
    if (this.error !== undefined) void this.load()
    while (this.data === undefined && this.isLoading) await this.#reading
    if (this.data === undefined) throw this.error
    return this.data
  }

  async #load(): Promise<void> {
    this.#running?.abort()
    const running = new AbortController()
    this.#running = running
    this.isLoading = true
    try {
      const data = await this.#read(running.signal)
      if (running.signal.aborted) return
      this.data = data
      this.error = undefined
    } catch (error) {
      if (running.signal.aborted) return
      this.error = toApiError(error)
    }
    this.isLoading = false
  }

  /** Reads again when a write has ended. */
  async loadAfter(write: Promise<unknown>): Promise<void> {
    await write
    await this.load()
  }

  /**
   * Shows a change before the service confirms it. Writes are sent one after the other, so that the last change is the one that
   * stays. A refused change is reverted, and its error is returned.
   */
  async updateOptimistically(change: (data: T) => T, write: () => Promise<unknown>): Promise<ApiError | undefined> {
    const before = this.data
    const after = before === undefined ? undefined : change(before)
    this.data = after
    const written = this.#lastWrite.then(write)
    this.#lastWrite = written.catch(() => undefined)
    try {
      await written
      return undefined
    } catch (error) {
      if (this.data === after) this.data = before
      else void this.load()
      return toApiError(error)
    }
  }
}
