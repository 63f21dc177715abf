/** The activity of a record: its newest items, which follow change events, and older ones on demand. */

import { toApiError, type ApiError } from '../../../../api/errors'
import { changeEvents } from '../../../../state/events/change-events'
import { CoalescedRead } from '../../../../state/reads/coalesced-read'
import { mayConcernRecord } from '../../../../state/events/record-events'
import { type Page, withNewest, withOlder } from './merge-pages'

/** Events of one write arrive together. */
const PAUSE_MS = 200

interface ItemsInput<T> {
  readonly recordId: string
  /** The first page without a cursor. */
  read(cursor: string | undefined, signal: AbortSignal): Promise<Page<T>>
}

export class ActivityItems<T extends { readonly id: string }> {
  shown = $state.raw<Page<T> | undefined>()
  /** Of the first page. */
  error = $state.raw<ApiError | undefined>()
  /** Of older pages. */
  olderError = $state.raw<ApiError | undefined>()
  isReadingOlder = $state(false)
  readonly #input: ItemsInput<T>
  readonly #newest = new CoalescedRead(() => this.#readNewest(), PAUSE_MS)
  #ended = new AbortController()

  constructor(input: ItemsInput<T>) {
    this.#input = input
  }

  /** For use in an effect. */
  follow(): () => void {
    this.#ended = new AbortController()
    this.readNewest()
    const renew = () => this.#newest.request()
    const stop = changeEvents.follow({
      onevent: (event) => {
        if (mayConcernRecord(event, this.#input.recordId)) renew()
      },
      onmissed: renew,
    })
    return () => {
      stop()
      this.#newest.stop()
      this.#ended.abort()
    }
  }

  readNewest(): void {
    this.#newest.requestNow()
  }

  async #readNewest(): Promise<void> {
    const { signal } = this.#ended
    try {
      const page = await this.#input.read(undefined, signal)
      if (signal.aborted) return
      this.shown = this.shown === undefined ? page : withNewest(this.shown, page)
      this.error = undefined
    } catch (error) {
      if (!signal.aborted) this.error = toApiError(error)
    }
  }

  async readOlder(): Promise<void> {
    const cursor = this.shown?.nextCursor
    if (cursor === undefined || cursor === null || this.isReadingOlder) return
    const { signal } = this.#ended
    this.isReadingOlder = true
    this.olderError = undefined
    try {
      const page = await this.#input.read(cursor, signal)
      if (signal.aborted) return
      // A read of the newest items may have replaced the list and its cursor.
      if (this.shown?.nextCursor === cursor) this.shown = withOlder(this.shown, page)
    } catch (error) {
      if (!signal.aborted) this.olderError = toApiError(error)
    }
    this.isReadingOlder = false
  }
}
