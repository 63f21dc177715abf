/** A list that is read in pages with a cursor. What is read again has at least as many items as before. */

import { untrack } from 'svelte'
import type { CursorPage } from '../../api/cursor-page'
import { type ApiError, toApiError } from '../../api/errors'
import { followEvents } from '../events/follow-events'
import { ReadQueue } from './read-queue'

type ReadPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<CursorPage<T>>

export class CursorPages<T> {
  /** Undefined until the first page is read. */
  items = $state.raw<readonly T[] | undefined>()
  error = $state.raw<ApiError | undefined>()
  hasMore = $state(false)
  isReadingMore = $state(false)
  readonly #readPage: ReadPage<T>
  readonly #reads = new ReadQueue()
  #cursor: string | undefined
  #ended = new AbortController()

  constructor(readPage: ReadPage<T>) {
    this.#readPage = readPage
  }

  /** Reads the first page, and again when the tab is shown again, because there are no events of these changes; for use in an effect. */
  follow(): () => void {
    this.#ended = new AbortController()
    void untrack(() => this.read())
    const stop = followEvents(
      () => false,
      () => this.read(),
    )
    return () => {
      stop()
      this.#ended.abort()
    }
  }

  async read(): Promise<void> {
    await this.#run(async (signal) => {
      const count = this.items?.length ?? 0
      const items: T[] = []
      let cursor: string | undefined
      do {
        const page = await this.#readPage(cursor, signal)
        items.push(...page.data)
        cursor = page.pagination.next_cursor ?? undefined
      } while (cursor !== undefined && items.length < count)
      this.#show(items, cursor)
    })
  }

  async readMore(): Promise<void> {
    if (!this.hasMore || this.isReadingMore) return
    this.isReadingMore = true
    await this.#run(async (signal) => {
      if (this.#cursor === undefined) return
      const { data, pagination } = await this.#readPage(this.#cursor, signal)
      this.#show([...(this.items ?? []), ...data], pagination.next_cursor ?? undefined)
    })
    this.isReadingMore = false
  }

  async #run(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#ended
    await this.#reads.run(async () => {
      try {
        await read(signal)
        this.error = undefined
      } catch (error) {
        if (!signal.aborted) this.error = toApiError(error)
      }
    })
  }

  #show(items: readonly T[], cursor: string | undefined): void {
    this.items = items
    this.#cursor = cursor
    this.hasMore = cursor !== undefined
  }
}
