/** The entities of a board with one option, or without one. More are loaded as the column is scrolled. */

import { type Option, optionId } from '../../../api/data-model/attributes'
import { type ApiError, toApiError } from '../../../api/errors'
import { type Entity, type Filter, queryEntities } from '../../../api/records/entities'
import { ReadQueue } from '../../../state/reads/read-queue'
import { optionKindOf } from '../../../values/options.svelte'
import { amountOf, type BoardQuery } from './board-query'

/** The number of cards of a page. */
const PAGE = 30
/** The largest page when a column is read again. */
const MAX_PAGE = 500

export class Column {
  entries = $state.raw<readonly Entity[]>([])
  total = $state<number | undefined>()
  /** The sum of the board's attribute over all entities of the column. */
  sum = $state<number | undefined>()
  error = $state.raw<ApiError | undefined>()
  #next = $state<string | null | undefined>(null)
  /** A cursor belongs to pages of one size. */
  #limit = PAGE
  #isReadingMore = false
  readonly #reads = new ReadQueue()
  /** Null for entities without an option. */
  readonly id: string | null
  readonly title: string
  readonly option: Option | null
  readonly #query: BoardQuery

  constructor(query: BoardQuery, option: Option | null) {
    this.#query = query
    this.id = option && optionId(option)
    this.option = option
    this.title = option?.title ?? (optionKindOf(query.attribute) === 'statuses' ? 'No status' : 'No value')
    void this.readMore()
  }

  get hasMore(): boolean {
    return this.#next !== undefined
  }

  /** An archived option is not written any more, so no card can be moved here. */
  get isArchived(): boolean {
    return this.option?.is_archived === true
  }

  get #filter(): Filter {
    const { attribute, filter } = this.#query
    const slug = attribute.api_slug
    const own = this.id === null ? { $not: { [slug]: { $not_empty: true } } } : { [slug]: this.id }
    return Object.keys(filter).length === 0 ? own : { $and: [filter, own] }
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
    const { entities, nextCursor, total, sum } = await this.#read(cursor)
    if (this.#next !== cursor) return // what was read again is shown since, and ends elsewhere
    // An entity that was moved here in the meantime is not shown twice.
    const shown = new Set(this.entries.map(({ id }) => id))
    this.entries = [...this.entries, ...entities.filter(({ id }) => !shown.has(id))]
    this.total ??= total
    this.sum ??= sum
    this.#next = nextCursor ?? undefined
  }

  /** The first page comes with the totals. */
  #read(cursor: string | null) {
    const { entityType, sorts, fields, sum } = this.#query
    const totals = cursor === null ? { include_count: true, ...(sum && { sum: sum.api_slug }) } : {}
    return queryEntities(entityType, { filter: this.#filter, sorts, fields, limit: this.#limit, cursor, ...totals })
  }

  /** Reads the shown cards and their totals again, after a running read. Returns a function that shows what was read. */
  async readAgain(): Promise<() => void> {
    const { entities, nextCursor, total, sum } = await this.#reads.run(() => {
      this.#limit = Math.min(MAX_PAGE, Math.max(PAGE, this.entries.length))
      return this.#read(null)
    })
    return () => {
      this.entries = entities
      this.total = total
      this.sum = sum
      this.#next = nextCursor ?? undefined
    }
  }

  has(id: string): boolean {
    return this.entries.some((entry) => entry.id === id)
  }

  /** Removes an entity and returns whether it was in the column. */
  remove(id: string): boolean {
    const entry = this.entries.find((one) => one.id === id)
    if (!entry) return false
    this.entries = this.entries.filter((one) => one !== entry)
    this.#count(-1, -amountOf(entry, this.#query.sum))
    return true
  }

  prepend(entry: Entity): void {
    this.entries = [entry, ...this.entries]
    this.#count(1, amountOf(entry, this.#query.sum))
  }

  /** Returns whether the entity is in the column. */
  replace(entry: Entity): boolean {
    const before = this.entries.find(({ id }) => id === entry.id)
    if (!before) return false
    this.entries = this.entries.map((one) => (one === before ? entry : one))
    this.#count(0, amountOf(entry, this.#query.sum) - amountOf(before, this.#query.sum))
    return true
  }

  #count(by: number, amount: number): void {
    if (this.total !== undefined) this.total += by
    if (this.sum !== undefined) this.sum += amount
  }
}
