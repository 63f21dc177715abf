/**
 * A live list of rows: the newest page, rows of an event stream, and older pages on demand. Received rows are applied once per
 * frame, and the number of rows is limited.
 */

import { untrack } from 'svelte'
import type { CursorPage } from '../../../api/cursor-page'
import { type ApiError, toApiError } from '../../../api/errors'
import { followStream } from '../../../api/event-stream'
import { mergeNewest } from './merge'
import { PageReads } from './page-reads'

/** The maximum number of rows, unless older pages were read. */
const MAX_ROWS = 2000

/** The delay before a read that checks which received rows match the filter. */
const REREAD_DELAY_MS = 1000

export interface LiveSource<T> {
  /** The path of the event stream. */
  readonly stream: string
  idOf(row: T): string
  /** Reads a page, the newest rows first. */
  read(before: string | undefined, signal: AbortSignal): Promise<CursorPage<T>>
  /** Whether a row matches the filter; undefined when only the service knows. */
  fits(row: T): boolean | undefined
}

export class LiveRows<T> {
  rows = $state.raw<readonly T[]>([])
  state = $state<'connecting' | 'live' | 'broken'>('connecting')
  error = $state.raw<ApiError | undefined>()
  isReading = $state(true)
  hasOlder = $state(false)
  /** The number of rows that were added at the top. A scrolled list uses it to stay in place. */
  added = $state(0)

  #source: LiveSource<T>
  #received = new Map<string, T>()
  #frame: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #reads = new PageReads<T>()

  constructor(source: LiveSource<T>) {
    this.#source = source
  }

  /** Follows the event stream; for use in an effect. */
  follow(): () => void {
    const ended = new AbortController()
    const listener = {
      onopen: () => {
        this.state = 'live'
        void this.#readNewest()
      },
      onmessage: ({ data }: { data: string }) => this.#receive(JSON.parse(data)),
      ondisconnect: () => {
        // The newest page can be shown without the stream.
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
      this.#reads.abort()
      clearTimeout(this.#timer)
      if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    }
  }

  /** Starts again after the filter changed. */
  restart(): void {
    this.#reads.abort()
    this.#received.clear()
    this.rows = []
    this.hasOlder = false
    void this.#readNewest()
  }

  /** Adds a row from another request. */
  learn(row: T): void {
    this.#receive(row)
  }

  async readOlder(): Promise<void> {
    const last = untrack(() => this.rows.at(-1))
    if (last === undefined || this.isReading) return
    await this.#read(this.#source.idOf(last), MAX_ROWS + this.rows.length)
  }

  #readNewest(): Promise<void> {
    return this.#read(undefined, MAX_ROWS)
  }

  async #read(before: string | undefined, most: number): Promise<void> {
    this.isReading = true
    try {
      const read = await this.#reads.run((signal) => this.#source.read(before, signal))
      if (read === undefined) return
      const { page, newer } = read
      if (before === undefined && this.#leavesGap(page)) this.rows = []
      const isFirst = this.rows.length === 0
      this.#merge(page.data, most, () => true)
      for (const row of newer) this.#receive(row)
      if (before !== undefined || isFirst) this.hasOlder = page.pagination.next_cursor !== null
      this.error = undefined
    } catch (error) {
      this.error = toApiError(error)
    } finally {
      this.isReading = this.#reads.areRunning
    }
  }

  /** Whether rows are missing between a newest page and the present rows. */
  #leavesGap({ data, pagination }: CursorPage<T>): boolean {
    const [first] = this.rows
    const last = data.at(-1)
    if (first === undefined || last === undefined || pagination.next_cursor === null) return false
    return this.#source.idOf(last) > this.#source.idOf(first)
  }

  #receive(row: T): void {
    this.#reads.receive(this.#source.idOf(row), row)
    const [oldest] = this.#received.keys()
    // A hidden page has no frames.
    if (oldest !== undefined && this.#received.size >= MAX_ROWS) this.#received.delete(oldest)
    this.#received.set(this.#source.idOf(row), row)
    this.#frame ??= requestAnimationFrame(() => this.#applyReceived())
  }

  #applyReceived(): void {
    this.#frame = undefined
    const received = [...this.#received.values()]
    this.#received.clear()
    const present = new Set(this.rows.map((row) => this.#source.idOf(row)))
    const isPresent = (row: T) => present.has(this.#source.idOf(row))
    const fits = (row: T) => this.#source.fits(row) ?? isPresent(row)
    if (received.some((row) => this.#source.fits(row) === undefined && !isPresent(row))) this.#readSoon()
    this.#merge(received, Math.max(MAX_ROWS, this.rows.length), fits)
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#readNewest()
    }, REREAD_DELAY_MS)
  }

  #merge(changed: readonly T[], most: number, fits: (row: T) => boolean): void {
    const { rows, added, isCut } = mergeNewest(this.rows, changed, { idOf: this.#source.idOf, fits, most })
    this.rows = rows
    this.added += added
    if (isCut) this.hasOlder = true
  }
}
