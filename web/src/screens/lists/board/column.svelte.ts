/** The entries of a list with one status, or without one. More are loaded as the column is scrolled. */

import { type Attribute, type Option, optionId, type EntityTypePath } from '../../../api/data-model/attributes'
import { type ApiError, toApiError } from '../../../api/errors'
import { type Entity, type Filter, queryEntities } from '../../../api/records/entities'
import { ReadQueue } from '../../../state/reads/read-queue'

/** The number of cards of a page. */
const PAGE = 30
/** The largest page when a column is read again. */
const MAX_PAGE = 500

export class Column {
  entries = $state.raw<readonly Entity[]>([])
  total = $state<number | undefined>()
  error = $state.raw<ApiError | undefined>()
  #next = $state<string | null | undefined>(null)
  #isReadingMore = false
  readonly #reads = new ReadQueue()
  /** Null for entries without a status. */
  readonly id: string | null
  readonly title: string
  readonly option: Option | null
  readonly #entityType: EntityTypePath
  readonly #filter: Filter

  constructor(entityType: EntityTypePath, { api_slug }: Attribute, option: Option | null) {
    this.#entityType = entityType
    this.id = option && optionId(option)
    this.option = option
    this.title = option?.title ?? 'No status'
    this.#filter = this.id === null ? { $not: { [api_slug]: { $not_empty: true } } } : { [api_slug]: this.id }
    void this.readMore()
  }

  get hasMore(): boolean {
    return this.#next !== undefined
  }

  async readMore(): Promise<void> {
    if (this.#isReadingMore) return
    this.#isReadingMore = true
    try {
      await this.#reads.run(() => this.#readPage())
      this.error = undefined
    } catch (error) {
      this.error = toApiError(error)
    }
    this.#isReadingMore = false
  }

  async #readPage(): Promise<void> {
    const cursor = this.#next
    if (cursor === undefined) return
    const body = { filter: this.#filter, limit: PAGE, cursor, include_count: cursor === null }
    const { entities, nextCursor, total } = await queryEntities(this.#entityType, body)
    if (this.#next !== cursor) return // what was read again is shown since, and ends elsewhere
    // An entry that was moved here in the meantime is not shown twice.
    const shown = new Set(this.entries.map(({ id }) => id))
    this.entries = [...this.entries, ...entities.filter(({ id }) => !shown.has(id))]
    this.total ??= total
    this.#next = nextCursor ?? undefined
  }

  /** Reads the shown cards and their number again, after a running read. Returns a function that shows what was read. */
  async readAgain(): Promise<() => void> {
    const { entities, nextCursor, total } = await this.#reads.run(() => {
      const limit = Math.min(MAX_PAGE, Math.max(PAGE, this.entries.length))
      return queryEntities(this.#entityType, { filter: this.#filter, limit, include_count: true })
    })
    return () => {
      this.entries = entities
      this.total = total
      this.#next = nextCursor ?? undefined
    }
  }

  has(id: string): boolean {
    return this.entries.some((entry) => entry.id === id)
  }

  /** Removes an entry and returns whether it was in the column. */
  remove(id: string): boolean {
    const others = this.entries.filter((entry) => entry.id !== id)
    if (others.length === this.entries.length) return false
    this.entries = others
    if (this.total !== undefined) this.total -= 1
    return true
  }

  prepend(entry: Entity): void {
    this.entries = [entry, ...this.entries]
    if (this.total !== undefined) this.total += 1
  }

  /** Returns whether the entry is in the column. */
  replace(entry: Entity): boolean {
    if (!this.entries.some(({ id }) => id === entry.id)) return false
    this.entries = this.entries.map((one) => (one.id === entry.id ? entry : one))
    return true
  }
}
