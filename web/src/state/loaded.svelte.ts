/** Data that a screen reads: absent yet, there, or why it cannot be had. */

import { type ApiError, toApiError } from '../api/errors'

export class Loaded<T> {
  data = $state.raw<T | undefined>()
  error = $state.raw<ApiError | undefined>()
  isLoading = $state(true)
  #read: (signal: AbortSignal) => Promise<T>
  #running: AbortController | undefined

  /** Begins at once. */
  constructor(read: (signal: AbortSignal) => Promise<T>) {
    this.#read = read
    void this.load()
  }

  /** Reads again; what is there stays until the new is there. */
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

  /** Shows a change before the service has it, and takes it back with a word when the service refuses. */
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
