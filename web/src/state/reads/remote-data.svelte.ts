/** Data that a screen loads: its value, its error, and whether a read is running. */

import { type ApiError, toApiError } from '../../api/errors'

export class RemoteData<T> {
  data = $state.raw<T | undefined>()
  error = $state.raw<ApiError | undefined>()
  isLoading = $state(true)
  #read: (signal: AbortSignal) => Promise<T>
  #running: AbortController | undefined

  /** Starts the first read. */
  constructor(read: (signal: AbortSignal) => Promise<T>) {
    this.#read = read
    void this.load()
  }

  /** Reads again. The old data stays until the new data arrives. */
  async load(): Promise<void> {
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

  /** Shows a change before the service confirms it. A refused change is reverted, and its error is returned. */
  async updateOptimistically(change: (data: T) => T, write: () => Promise<unknown>): Promise<ApiError | undefined> {
    const before = this.data
    if (before !== undefined) this.data = change(before)
    try {
      await write()
      return undefined
    } catch (error) {
      this.data = before
      return toApiError(error)
    }
  }
}
