/** The notifications of the member and the tasks that are due today. They follow comments and tasks. */

import { untrack } from 'svelte'
import { type ApiError, toApiError } from '../../api/errors'
import { type InboxPage, markAllRead, markRead, type Notification, readInbox } from '../../api/inbox/inbox'
import { followEvents } from '../../state/events/follow-events'
import { ReadQueue } from '../../state/reads/read-queue'
import { toasts } from '../../state/toasts.svelte'
import { mayNotify, unread } from '../../state/unread.svelte'
import { PendingMarks } from './pending-marks'

const PAGE = 30
/** The largest page of the service. */
const MAX_PAGE = 100

export class InboxList {
  page = $state.raw<InboxPage | undefined>()
  error = $state.raw<ApiError | undefined>()
  isReadingMore = $state(false)
  readonly #reads = new ReadQueue()
  readonly #marks = new PendingMarks()
  #ended = new AbortController()
  readonly #unreadOnly: boolean

  constructor(unreadOnly: boolean) {
    this.#unreadOnly = unreadOnly
  }

  get hasMore(): boolean {
    return this.page?.pagination.next_cursor != null
  }

  find(id: string): Notification | undefined {
    return this.page?.data.find((one) => one.id === id)
  }

  /** For use in an effect. */
  follow(): () => void {
    this.#ended = new AbortController()
    const resume = unread.pause()
    void untrack(() => this.read())
    const stop = followEvents(mayNotify, () => this.read())
    return () => {
      stop()
      this.#ended.abort()
      resume()
    }
  }

  /** Reads the newest notifications; older ones that were read stay. */
  async read(): Promise<void> {
    await this.#show(async (signal) => {
      const limit = Math.min(MAX_PAGE, Math.max(PAGE, this.page?.data.length ?? 0))
      const newest = await readInbox({ limit, unread: this.#unreadOnly }, signal)
      return withOlder(newest, this.page)
    })
  }

  async readMore(): Promise<void> {
    if (!this.hasMore || this.isReadingMore) return
    this.isReadingMore = true
    await this.#show(async (signal) => {
      const cursor = this.page?.pagination.next_cursor
      if (cursor == null) return this.page
      const older = await readInbox({ limit: PAGE, cursor, unread: this.#unreadOnly }, signal)
      return { ...older, data: [...(this.page?.data ?? []), ...older.data] }
    })
    this.isReadingMore = false
  }

  async #show(read: (signal: AbortSignal) => Promise<InboxPage | undefined>): Promise<void> {
    const { signal } = this.#ended
    await this.#reads.run(async () => {
      try {
        const page = await read(signal)
        if (signal.aborted || page === undefined) return
        this.page = this.#marks.apply(page)
        this.error = undefined
        unread.count = page.unread_count
      } catch (error) {
        if (!signal.aborted) this.error = toApiError(error)
      }
    })
  }

  async markRead({ id, read_at }: Notification): Promise<void> {
    if (read_at !== null) return
    await this.#mark(
      (one) => one.id === id,
      () => markRead(id),
    )
  }

  async markAllRead(): Promise<void> {
    const newest = this.page?.data[0]
    if (newest === undefined) return
    await this.#mark(
      ({ id }) => id <= newest.id,
      () => markAllRead(newest.id),
    )
  }

  /** Shows the mark before the service confirms it. A refused one is reverted. Reads that follow begin after the write. */
  async #mark(isMarked: (one: Notification) => boolean, write: () => Promise<number>): Promise<void> {
    const before = this.page
    const endMark = this.#marks.add(isMarked)
    if (before) this.page = this.#marks.apply(before)
    try {
      unread.count = await this.#reads.run(write)
    } catch (error) {
      this.page = before
      toasts.fail(error)
    } finally {
      endMark()
    }
  }
}

/** The first page after a refresh, followed by the older notifications that are already loaded. */
function withOlder(page: InboxPage, before: InboxPage | undefined): InboxPage {
  const oldest = page.data.at(-1)?.id
  if (before === undefined || oldest === undefined || page.pagination.next_cursor === null) return page
  const older = before.data.filter(({ id }) => id < oldest)
  return older.length === 0 ? page : { ...page, data: [...page.data, ...older], pagination: before.pagination }
}
