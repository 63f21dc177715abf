/** A table at work: which rows it has, where one is in it, what is selected and what is being edited. */

import { SvelteSet } from 'svelte/reactivity'
import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { toApiError } from '../../../api/errors'
import { type Filter, type Entity, queryEntities, readEntities, type SortInput } from '../../../api/records/entities'
import type { Changes, ChangesConsumer } from '../../../state/follow-changes'
import { recall } from '../../../router/screen-memory'
import { toasts } from '../../../state/toasts.svelte'
import { ValueWrites } from '../../../state/value-writes'
import { refusalOf, type RefusedInput } from '../../../values/refusals'
import { guessValues, isEditable } from '../../../values/registry'
import { Rows } from './rows.svelte'
import { OVERSCAN } from './window'

/** How many rows are read at once. */
const PAGE = 200

export interface TableQuery {
  readonly filter: Filter
  readonly sorts: readonly SortInput[]
  /** Slugs of the attributes whose values are wanted. */
  readonly fields: readonly string[]
}

export interface Editing {
  readonly entity: Entity
  readonly attribute: Attribute
  /** What the editor lies over. */
  readonly anchor: HTMLElement
  readonly refused?: RefusedInput
}

/** The table that was left at this history entry, or a new one. */
export function openTable(entityType: EntityTypePath): Table {
  const table = recall(Table) ?? new Table(entityType)
  table.isRestored = table.rows.hasBegun
  return table
}

/** New rows beyond these are not counted. */
const MAX_NEW = 200

export class Table implements ChangesConsumer {
  /** The rows of the last query that was answered. */
  rows = $state.raw<Rows>(new Rows(() => Promise.reject(new Error('Nothing was asked for.'))))
  readonly selected = new SvelteSet<string>()
  row = $state(0)
  column = $state(0)
  /** Where a range of selected rows begins. */
  selectedFrom = 0
  editing = $state.raw<Editing | undefined>()
  total = $state<number | undefined>()
  /** The ids of rows that other people created since; they are shown on request. */
  readonly newIds = new SvelteSet<string>()
  /** The scroll position, restored by Back. */
  scroll = { top: 0, left: 0 }
  /** Whether the table was left before and its grid has not been shown since. */
  isRestored = false
  /** A request to scroll: to the top, or by the number of rows that were removed above the visible ones. */
  scrollRequest = $state.raw<'top' | { readonly rows: number } | undefined>()
  readonly entityType: EntityTypePath
  readonly #writes: ValueWrites
  /** Refused while something else was being edited. */
  #refused: Editing[] = []
  #query: TableQuery = { filter: {}, sorts: [], fields: [] }
  #answered: Promise<void> = Promise.resolve()

  constructor(entityType: EntityTypePath) {
    this.entityType = entityType
    this.#writes = new ValueWrites(entityType, (entity) => this.rows.replace(entity))
  }

  /** Shows what is there until the first answer; gives the way to stop. For use in an effect. */
  load(query: TableQuery): () => void {
    if (this.rows.hasBegun && JSON.stringify(query) === JSON.stringify(this.#query)) return this.#resume()
    const isOtherSet = JSON.stringify(query.filter) !== JSON.stringify(this.#query.filter)
    this.#query = query
    const rows = new Rows((cursor, signal) => queryEntities(this.entityType, { ...query, limit: PAGE, cursor }, signal))
    if (isOtherSet) this.total = undefined
    this.#answered = rows.begin().then(() => {
      if (this.#query !== query) return
      this.rows = rows
      this.newIds.clear()
      if (isOtherSet) this.selected.clear()
    })
    return () => rows.stop()
  }

  /** Continues with the rows that were read before, and refreshes them. */
  #resume(): () => void {
    const { rows } = this
    rows.resume()
    void this.refresh().catch((error: unknown) => toasts.fail(error))
    return () => rows.stop()
  }

  /** Shows the changes of other people, and offers the rows they created. */
  async apply({ created, updated, deleted }: Changes): Promise<void> {
    await this.#answered
    const there = this.rows.ids
    this.#removeDeleted(deleted)
    const changed = [...updated.keys()]
    await this.#readAgain(changed.filter((id) => there.has(id)))
    // A changed row that is not loaded may match the filter since, or may lie in a page that was not read yet.
    const others = this.rows.isComplete ? changed : []
    await this.#offer([...created, ...others].filter((id) => !there.has(id)))
  }

  async refresh(): Promise<void> {
    await this.#answered
    const { filter } = this.#query
    this.rows.keepSeen()
    await this.#readAgain([...this.rows.ids])
    if (!this.rows.isComplete) return
    const sorts = [{ attribute: 'created_at', direction: 'desc' as const }]
    const { entities } = await queryEntities(this.entityType, { filter, sorts, fields: [], limit: MAX_NEW })
    await this.#offer(entities.map(({ id }) => id))
  }

  /** Puts the new rows on top and scrolls to them. */
  async showNew(): Promise<void> {
    try {
      await this.#putOnTop()
      this.row = 0
      this.scrollRequest = 'top'
    } catch (error) {
      toasts.fail(toApiError(error))
    }
  }

  async #putOnTop(): Promise<void> {
    const query = this.#query
    const entities = await readEntities(this.entityType, [...this.newIds], query.fields)
    if (this.#query !== query) return
    const there = this.rows.ids
    this.rows.prepend(...entities.filter(({ id }) => !there.has(id)))
    this.newIds.clear()
  }

  /** Rows that are being written show their input until the write ends. */
  async #readAgain(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const query = this.#query
    await this.#writes.settled(ids)
    const entities = await readEntities(this.entityType, ids, query.fields)
    if (this.#query !== query) return
    const found = new Set(entities.map(({ id }) => id))
    this.rows.replace(...entities.filter(({ id }) => !this.#writes.isWriting(id)))
    this.#removeDeleted(new Set(ids.filter((id) => !found.has(id))))
  }

  /** Offers the rows that match the filter and are not loaded. An empty table shows them at once. */
  async #offer(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { filter } = this.#query
    const key = this.entityType.kind === 'objects' ? 'record_id' : 'entry_id'
    const asked = { $and: [filter, { [key]: { $in: ids.slice(0, MAX_NEW) } }] }
    const { entities } = await queryEntities(this.entityType, { filter: asked, fields: [], limit: MAX_NEW })
    const there = this.rows.ids
    for (const { id } of entities) if (!there.has(id)) this.newIds.add(id)
    if (this.rows.isEmpty && this.newIds.size > 0) await this.#putOnTop()
  }

  /** Removes deleted rows. The visible rows and the active row stay in place. */
  #removeDeleted(ids: ReadonlySet<string>): void {
    const { rows } = this
    const { first } = rows.seen
    const gone = rows.countBefore(rows.count, ids)
    const above = first > 0 ? rows.countBefore(first + OVERSCAN, ids) : 0
    const before = rows.countBefore(this.row, ids)
    for (const id of ids) this.newIds.delete(id)
    if (gone === 0) return
    this.row -= before
    this.removed(ids, gone)
    if (above > 0) this.scrollRequest = { rows: -above }
  }

  /** Asks how many there are in all. */
  async count(): Promise<void> {
    const query = this.#query
    try {
      const body = { filter: query.filter, limit: 1, fields: [], include_count: true }
      const { total } = await queryEntities(this.entityType, body)
      if (this.#query === query) this.total = total
    } catch (error) {
      toasts.fail(toApiError(error))
    }
  }

  toggle(id: string): void {
    if (!this.selected.delete(id)) this.selected.add(id)
  }

  get isAllSelected(): boolean {
    return this.rows.count > 0 && this.selected.size >= this.rows.count
  }

  selectAll(): void {
    if (this.isAllSelected) this.selected.clear()
    else this.selectBetween(0, this.rows.count - 1)
  }

  /** Selects a row or takes it out; as a range, selects the rows from the last one that was chosen alone. */
  selectRow(row: number, isRange: boolean): void {
    const entity = this.rows.at(row)
    if (!entity) return
    if (isRange) return this.selectBetween(this.selectedFrom, row)
    this.toggle(entity.id)
    this.selectedFrom = row
  }

  /** From one row to another, both included. */
  selectBetween(from: number, to: number): void {
    const [first, last] = from < to ? [from, to] : [to, from]
    for (let at = first; at <= last; at += 1) {
      const entity = this.rows.at(at)
      if (entity) this.selected.add(entity.id)
    }
  }

  edit(entity: Entity, attribute: Attribute, anchor: HTMLElement | null): void {
    if (anchor && isEditable(attribute)) this.editing = { entity, attribute, anchor }
  }

  /** What is refused is opened once more for editing, as it was written. */
  async save({ entity, attribute, anchor }: Editing, input: readonly unknown[]): Promise<void> {
    const guess = guessValues(this.entityType, attribute, input)
    const refused = await this.#writes.write({ entity, attribute, input, guess })
    if (!refused) return
    const problem = refusalOf(refused.error, attribute, this.entityType)
    const isThere = anchor.isConnected && anchor.dataset.entity === entity.id
    if (!isThere) toasts.fail(`“${attribute.title}” wasn't saved. ${problem}`)
    else this.#refused.push({ entity: refused.entity, attribute, anchor, refused: { input, problem } })
    if (!this.editing) this.endEdit()
  }

  /** Goes on with what was refused meanwhile. */
  endEdit(): void {
    this.editing = this.#refused.shift()
  }

  removed(ids: ReadonlySet<string>, count = ids.size): void {
    this.rows.remove(ids)
    for (const id of ids) this.selected.delete(id)
    if (this.total !== undefined) this.total -= count
  }

  added(entity: Entity): void {
    this.newIds.delete(entity.id)
    if (this.rows.ids.has(entity.id)) return
    this.rows.prepend(entity)
    this.row = 0
    if (this.total !== undefined) this.total += 1
  }
}
