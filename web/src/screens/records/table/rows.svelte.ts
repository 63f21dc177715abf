/**
 * The rows of a table of any length, loaded page by page. Pages far from the visible rows are unloaded and read again by their
 * cursor, so that a million rows need little memory.
 */

import { type ApiError, toApiError } from '../../../api/errors'
import type { Entity, EntityPage } from '../../../api/records/entities'
import { keepReferencedValues, referencedRecord } from '../../../api/records/referenced-values'

/** The maximum number of loaded pages. */
const MAX_PAGES = 20

/** The next page is read when this many rows are left before the end. */
const PREFETCH_ROWS = 60

/** No more pages than these are read at the same time, so that a fast scroll does not read all that it passes. */
const MAX_READS = 4

/** Where a page begins: after a cursor, null for the first page; or at an offset, for a page that is reached by a jump. */
export type PageStart = { readonly cursor: string | null } | { readonly offset: number }

interface Page {
  /** Undefined for a page that is read by its offset. */
  readonly cursor: string | null | undefined
  /** Whether it was never read. Its `count` is then expected. */
  readonly isUnread?: boolean
  readonly start: number
  readonly count: number
  /** Undefined for an unloaded page. */
  readonly entities: readonly Entity[] | undefined
}

export type ReadPage = (start: PageStart, signal: AbortSignal) => Promise<EntityPage>

export class Rows {
  #pages = $state.raw<readonly Page[]>([])
  /** The cursor of the next page; null after the last page. */
  #next = $state<string | null>(null)
  hasBegun = $state(false)
  error = $state.raw<ApiError | undefined>()
  /** The visible rows. */
  visible = { first: 0, end: 0 }
  #reading = new Set<string>()
  #running = new AbortController()
  #read: ReadPage

  constructor(read: ReadPage) {
    this.#read = read
  }

  /** The number of rows of all pages that were read. There may be more. */
  readonly count = $derived((this.#pages.at(-1)?.start ?? 0) + (this.#pages.at(-1)?.count ?? 0))
  /** Whether `count` is the number of all rows. Some may be unread. */
  readonly hasEnd = $derived(this.hasBegun && this.#next === null)
  readonly isComplete = $derived(this.hasEnd && this.#pages.every(({ isUnread }) => isUnread !== true))
  readonly isEmpty = $derived(this.isComplete && this.count === 0)

  async begin(): Promise<void> {
    await this.#readNext(null)
  }

  /** Adds unread pages up to the number of all rows, so that every row can be scrolled to. */
  extendTo(total: number, pageSize: number): void {
    if (!this.hasBegun || this.hasEnd) return
    const unread: Page[] = []
    for (let start = this.count; start < total; start += pageSize) {
      const cursor = start === this.count ? this.#next : undefined
      unread.push({ cursor, isUnread: true, start, count: Math.min(pageSize, total - start), entities: undefined })
    }
    this.#pages = [...this.#pages, ...unread]
    this.#next = null
  }

  /** The number of rows of the loaded pages. */
  get loadedCount(): number {
    return this.#pages.reduce((sum, { entities }) => sum + (entities?.length ?? 0), 0)
  }

  stop(): void {
    this.#running.abort()
  }

  /** Allows reading again after a stop. */
  resume(): void {
    if (this.#running.signal.aborted) this.#running = new AbortController()
  }

  /** The ids of the loaded rows. */
  get ids(): ReadonlySet<string> {
    return new Set(this.#pages.flatMap(({ entities }) => entities?.map(({ id }) => id) ?? []))
  }

  /** The ids of the loaded rows that show values of these records in one of the columns. */
  idsShowing(recordIds: ReadonlySet<string>, columns: readonly string[]): readonly string[] {
    const isShown = (entity: Entity) =>
      columns.some((slug) => recordIds.has(referencedRecord(entity, slug)?.target_record_id ?? ''))
    return this.#pages.flatMap(({ entities }) => entities?.filter(isShown).map(({ id }) => id) ?? [])
  }

  /** The number of loaded rows before `index` that have one of these ids. */
  countBefore(index: number, ids: ReadonlySet<string>): number {
    const isBefore = (page: Page, entity: Entity, at: number) => page.start + at < index && ids.has(entity.id)
    return this.#pages.reduce(
      (sum, page) => sum + (page.entities?.filter((entity, at) => isBefore(page, entity, at)).length ?? 0),
      0,
    )
  }

  /** Unloads all pages but the visible ones and their neighbours; an unloaded page is read again when it is needed. */
  unloadInvisible(): void {
    const [from, to] = [this.#pageOf(this.visible.first) - 1, this.#pageOf(this.visible.end) + 1]
    this.#pages = this.#pages.map((page, at) => (at < from || at > to ? { ...page, entities: undefined } : page))
  }

  /** Undefined while the row is loading. */
  at(index: number): Entity | undefined {
    const page = this.#pages[this.#pageOf(index)]
    return page?.entities?.[index - page.start]
  }

  /** The index of a loaded row; -1 for other records and entries. */
  indexOf(id: string): number {
    for (const { start, entities } of this.#pages) {
      const at = entities?.findIndex((entity) => entity.id === id) ?? -1
      if (at >= 0) return start + at
    }
    return -1
  }

  /** Reads the pages of these rows, and the next page near the end. */
  need(first: number, end: number): void {
    this.visible = { first, end }
    if (this.error !== undefined) return
    const [from, to] = [this.#pageOf(first), this.#pageOf(Math.max(first, end - 1 + PREFETCH_ROWS))]
    for (let at = from; at <= to; at += 1) {
      const page = this.#pages[at]
      if (page && !page.entities && this.#reading.size < MAX_READS) void this.#readAgain(page)
    }
    const isNear = end >= this.count - PREFETCH_ROWS
    if (isNear && this.#next !== null) void this.#readNext(this.#next)
    this.#unloadFar(from, to)
  }

  /** Clears the error. The grid then needs its rows again. */
  retry(): void {
    this.error = undefined
    if (!this.hasBegun) void this.begin()
  }

  /** Replaces rows by newer states of the same records or entries. */
  replace(...entities: readonly Entity[]): void {
    const now = new Map(entities.map((entity) => [entity.id, entity]))
    this.#change(
      ({ id }) => now.has(id),
      (entity) => {
        const newer = now.get(entity.id)
        return newer ? keepReferencedValues(entity, newer) : []
      },
    )
  }

  remove(ids: ReadonlySet<string>): void {
    this.#change(
      ({ id }) => ids.has(id),
      () => [],
    )
  }

  /** Adds rows at the top, regardless of the sort. */
  prepend(...entities: readonly Entity[]): void {
    const [first, ...others] = this.#pages
    const top = first ?? { cursor: null, start: 0, count: 0, entities: [] }
    this.#pages = withStarts([{ ...top, entities: top.entities && [...entities, ...top.entities] }, ...others])
  }

  #change(matches: (entity: Entity) => boolean, into: (entity: Entity) => Entity | readonly Entity[]): void {
    const changed = this.#pages.map((page) =>
      page.entities?.some(matches)
        ? { ...page, entities: page.entities.flatMap((entity) => (matches(entity) ? into(entity) : [entity])) }
        : page,
    )
    this.#pages = withStarts(changed)
  }

  async #readNext(cursor: string | null): Promise<void> {
    await this.#readOnce({ cursor }, ({ entities, nextCursor }) => {
      this.#pages = [...this.#pages, { cursor, start: this.count, count: entities.length, entities }]
      this.#next = nextCursor
      this.hasBegun = true
    })
  }

  async #readAgain({ cursor, start }: Page): Promise<void> {
    const from = cursor === undefined ? { offset: start } : { cursor }
    await this.#readOnce(from, ({ entities, nextCursor }) => {
      const at = this.#pages.findIndex((one) => (cursor === undefined ? one.start === start : one.cursor === cursor))
      const page = this.#pages[at]
      if (page === undefined || page.entities !== undefined) return
      // A page has as many rows as before: after deletions it also has the first rows of the next page.
      const elsewhere = this.ids
      const here = entities.filter(({ id }) => !elsewhere.has(id))
      const pages = this.#pages.with(at, { ...page, isUnread: false, entities: here })
      const next = pages[at + 1]
      // The next page follows this one exactly, which its offset does not ensure.
      if (next?.isUnread === true && nextCursor !== null) pages[at + 1] = { ...next, cursor: nextCursor }
      this.#pages = withStarts(pages)
    })
  }

  /** Reads a page unless a read of it is running. The read ends after `take`, so that no page is taken twice. */
  async #readOnce(start: PageStart, take: (page: EntityPage) => void): Promise<void> {
    const key = JSON.stringify(start)
    if (this.#reading.has(key)) return
    this.#reading.add(key)
    const { signal } = this.#running
    try {
      const page = await this.#read(start, signal)
      if (!signal.aborted) take(page)
    } catch (error) {
      if (!signal.aborted) this.error = toApiError(error)
    } finally {
      this.#reading.delete(key)
    }
    // Pages that were not read because too many reads were running.
    if (!signal.aborted && this.#reading.size === MAX_READS - 1) this.need(this.visible.first, this.visible.end)
  }

  #unloadFar(from: number, to: number): void {
    const margin = Math.floor(MAX_PAGES / 2)
    const isFar = (at: number) => at < from - margin || at > to + margin
    if (!this.#pages.some(({ entities }, at) => entities && isFar(at))) return
    this.#pages = this.#pages.map((page, at) => (page.entities && isFar(at) ? { ...page, entities: undefined } : page))
  }

  /** A binary search: there may be thousands of pages. */
  #pageOf(index: number): number {
    let [low, high] = [0, this.#pages.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#pages[middle]?.start ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** The pages with new start indexes, after some became longer or shorter. */
function withStarts(pages: readonly Page[]): Page[] {
  let start = 0
  return pages.map((page) => {
    const count = page.entities?.length ?? page.count
    const here = { ...page, start, count }
    start += count
    return here
  })
}
