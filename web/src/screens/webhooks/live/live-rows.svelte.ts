/**
 * Rows of the service that go on coming: the newest page, what is told of since, and older ones on demand. However much comes,
 * it is taken in once a frame, and only so much is kept.
 */

import { untrack } from 'svelte'
import type { PageOf } from '../../../api/webhooks/deliveries'
import { type ApiError, toApiError } from '../../../api/errors'
import { followStream } from '../../../api/event-stream'
import { mergeNewest } from './merge'

/** More than anyone scrolls through, and little enough to keep. */
const MOST = 2000

/** So that what only the service can tell is not asked for at every message. */
const ASK_AGAIN_MS = 1000

export interface LiveSource<T> {
  /** Where it is told of what comes. */
  readonly stream: string
  idOf(row: T): string
  /** A page, the newest first, of those before one. */
  read(before: string | undefined, signal: AbortSignal): Promise<PageOf<T>>
  /** Whether a row belongs here as it is now; undefined when only the service can tell. */
  fits(row: T): boolean | undefined
}

export class LiveRows<T> {
  rows = $state.raw<readonly T[]>([])
  state = $state<'connecting' | 'live' | 'broken'>('connecting')
  error = $state.raw<ApiError | undefined>()
  isReading = $state(true)
  hasOlder = $state(false)
  /** How many rows came in above the first since the beginning, for whoever keeps a place further down. */
  added = $state(0)

  #source: LiveSource<T>
  #heard = new Map<string, T>()
  #frame: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #reading = new AbortController()

  constructor(source: LiveSource<T>) {
    this.#source = source
  }

  /** Follows what comes; for use in an effect. */
  follow(): () => void {
    const ended = new AbortController()
    const listener = {
      onopen: () => {
        this.state = 'live'
        void this.#readNewest()
      },
      onmessage: ({ data }: { data: string }) => this.#hear(JSON.parse(data)),
      ondisconnect: () => {
        // What there is can be seen without what comes.
        if (this.state === 'connecting') void this.#readNewest()
        this.state = 'broken'
      },
      onrefused: (error: ApiError) => {
        this.error = error
        this.isReading = false
        this.state = 'broken'
      },
    }
    void followStream(this.#source.stream, listener, ended.signal)
    return () => {
      ended.abort()
      this.#reading.abort()
      clearTimeout(this.#timer)
      if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    }
  }

  /** Begins anew, because what belongs here has changed. */
  restart(): void {
    this.#reading.abort()
    this.#heard.clear()
    this.rows = []
    this.hasOlder = false
    void this.#readNewest()
  }

  /** Takes in what was learned elsewhere. */
  learn(row: T): void {
    this.#hear(row)
  }

  async readOlder(): Promise<void> {
    const last = untrack(() => this.rows.at(-1))
    if (last === undefined || this.isReading) return
    await this.#read(this.#source.idOf(last), MOST + this.rows.length)
  }

  #readNewest(): Promise<void> {
    return this.#read(undefined, MOST)
  }

  async #read(before: string | undefined, most: number): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    this.isReading = true
    try {
      const page = await this.#source.read(before, reading.signal)
      if (reading.signal.aborted) return
      if (before === undefined && this.#leavesGap(page)) this.rows = []
      const isFirst = this.rows.length === 0
      this.#merge(page.data, most, () => true)
      if (before !== undefined || isFirst) this.hasOlder = page.pagination.next_cursor !== null
      this.error = undefined
    } catch (error) {
      if (reading.signal.aborted) return
      this.error = toApiError(error)
    }
    this.isReading = false
  }

  /** Whether there is more between a newest page and what is here than was read. */
  #leavesGap({ data, pagination }: PageOf<T>): boolean {
    const [first] = this.rows
    const last = data.at(-1)
    if (first === undefined || last === undefined || pagination.next_cursor === null) return false
    return this.#source.idOf(last) > this.#source.idOf(first)
  }

  #hear(row: T): void {
    const [oldest] = this.#heard.keys()
    // A page that nobody sees has no frames.
    if (oldest !== undefined && this.#heard.size >= MOST) this.#heard.delete(oldest)
    this.#heard.set(this.#source.idOf(row), row)
    this.#frame ??= requestAnimationFrame(() => this.#takeIn())
  }

  #takeIn(): void {
    this.#frame = undefined
    const heard = [...this.#heard.values()]
    this.#heard.clear()
    const known = new Set(this.rows.map((row) => this.#source.idOf(row)))
    const isKnown = (row: T) => known.has(this.#source.idOf(row))
    const fits = (row: T) => this.#source.fits(row) ?? isKnown(row)
    if (heard.some((row) => this.#source.fits(row) === undefined && !isKnown(row))) this.#askLater()
    this.#merge(heard, Math.max(MOST, this.rows.length), fits)
  }

  #askLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#readNewest()
    }, ASK_AGAIN_MS)
  }

  #merge(changed: readonly T[], most: number, fits: (row: T) => boolean): void {
    const { rows, added, isCut } = mergeNewest(this.rows, changed, { idOf: this.#source.idOf, fits, most })
    this.rows = rows
    this.added += added
    if (isCut) this.hasOlder = true
  }
}
