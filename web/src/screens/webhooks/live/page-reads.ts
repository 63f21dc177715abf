/** The running reads of pages of a live list. Several can run at once: the newest page, and an older one. */

export interface PageRead<P, T> {
  readonly page: P
  /** The rows that the event stream sent since the read began. They may be newer than the same rows of the page. */
  readonly newer: readonly T[]
}

export class PageReads<T> {
  #abort = new AbortController()
  /** For each running read, the rows that the event stream sent since it began. */
  readonly #running = new Set<Map<string, T>>()

  get areRunning(): boolean {
    return this.#running.size > 0
  }

  /** Records a row that the event stream sent. */
  receive(id: string, row: T): void {
    for (const newer of this.#running) newer.set(id, row)
  }

  /** Aborts all running reads: their pages match an earlier filter. */
  abort(): void {
    this.#abort.abort()
    this.#abort = new AbortController()
    this.#running.clear()
  }

  /** Resolves to undefined when the read was aborted. */
  async run<P>(read: (signal: AbortSignal) => Promise<P>): Promise<PageRead<P, T> | undefined> {
    const { signal } = this.#abort
    const newer = new Map<string, T>()
    this.#running.add(newer)
    try {
      const page = await read(signal)
      return signal.aborted ? undefined : { page, newer: [...newer.values()] }
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    } finally {
      this.#running.delete(newer)
    }
  }
}
