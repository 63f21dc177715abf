/** The activity of a record: its newest items, which follow change events, and older ones on demand. */

import { toApiError, type ApiError } from '../../../../api/errors'
import { changeEvents } from '../../../../state/change-events'
import { mayConcernRecord } from '../../../../state/record-events'
import { type Page, withNewest, withOlder } from './merge-pages'

/** Events of one write arrive together. */
const PAUSE_MS = 200

interface TimelineSource<T> {
  readonly recordId: string
  /** The first page without a cursor. */
  read(cursor: string | undefined, signal: AbortSignal): Promise<Page<T>>
}

export class Timeline<T extends { readonly id: string }> {
  shown = $state.raw<Page<T> | undefined>()
  /** Of the first page. */
  error = $state.raw<ApiError | undefined>()
  /** Of older pages. */
  olderError = $state.raw<ApiError | undefined>()
  isReadingOlder = $state(false)
  readonly #source: TimelineSource<T>
  #newest = new AbortController()
  #older = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(source: TimelineSource<T>) {
    this.#source = source
  }

  /** For use in an effect. */
  follow(): () => void {
    void this.readNewest()
    const renew = () => (this.#timer ??= setTimeout(() => void this.readNewest(), PAUSE_MS))
    const stop = changeEvents.follow({
      onevent: (event) => {
        if (mayConcernRecord(event, this.#source.recordId)) renew()
      },
      onmissed: renew,
    })
    return () => {
      stop()
      clearTimeout(this.#timer)
      this.#newest.abort()
      this.#older.abort()
    }
  }

  async readNewest(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#newest.abort()
    const { signal } = (this.#newest = new AbortController())
    try {
      const page = await this.#source.read(undefined, signal)
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
    const { signal } = (this.#older = new AbortController())
    this.isReadingOlder = true
    this.olderError = undefined
    try {
      const page = await this.#source.read(cursor, signal)
      if (signal.aborted) return
      // The newest items may have been read anew meanwhile, with another end.
      if (this.shown?.nextCursor === cursor) this.shown = withOlder(this.shown, page)
    } catch (error) {
      if (!signal.aborted) this.olderError = toApiError(error)
    }
    if (!signal.aborted) this.isReadingOlder = false
  }
}
