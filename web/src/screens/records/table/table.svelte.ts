/** The state of a table: its rows, the active cell and the edited value. */

import { SvelteSet } from 'svelte/reactivity'
import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { toApiError } from '../../../api/errors'
import { type Filter, type Entity, queryEntities, readEntities, type SortInput } from '../../../api/records/entities'
import type { Changes } from '../../../state/events/change-batch'
import type { ChangesConsumer } from '../../../state/events/follow-changes'
import { isReadOnly } from '../../../state/object-access'
import { recall } from '../../../router/screen-memory'
import { toasts } from '../../../state/toasts.svelte'
import { ValueWrites } from '../../../state/value-writes'
import { refusalOf, type RefusedInput } from '../../../values/refusals'
import { optimisticValues, isEditable } from '../../../values/registry'
import { CellEdits } from './cells/cell-edits'
import { CellRange } from './cells/range.svelte'
import { Rows } from './rows.svelte'
import { Selection } from './selection/selection.svelte'
import { OVERSCAN } from './grid/window'

/** The number of rows of a page. */
const PAGE = 200

export interface TableQuery {
  readonly filter: Filter
  readonly sorts: readonly SortInput[]
  /** Slugs of the attributes whose values are read. */
  readonly fields: readonly string[]
}

export interface Editing {
  readonly entity: Entity
  readonly attribute: Attribute
  /** The element that the editor covers. */
  readonly anchor: HTMLElement
  readonly refused?: RefusedInput
  /** Whether the edit began with a letter, which replaces the value or searches for another one. */
  readonly isTyped?: boolean
}

/** The remembered table of the current history entry, or a new one. */
export function openTable(entityType: EntityTypePath): Table {
  const table = recall(Table) ?? new Table(entityType)
  table.isRestored = table.rows.hasBegun
  return table
}

/** New rows beyond these are not counted. */
const MAX_NEW = 200

export class Table implements ChangesConsumer {
  /** The rows of the last query that was answered. */
  rows = $state.raw<Rows>(new Rows(() => Promise.reject(new Error('The table has no query yet.'))))
  readonly selection = new Selection(() => this.rows)
  activeRow = $state(0)
  activeColumn = $state(0)
  readonly range = new CellRange(() => ({ row: this.activeRow, column: this.activeColumn }))
  readonly edits: CellEdits
  editing = $state.raw<Editing | undefined>()
  total = $state<number | undefined>()
  /** The ids of rows that other people created. They are shown on request. */
  readonly newIds = new SvelteSet<string>()
  /** The scroll position, restored by Back. */
  scroll = { top: 0, left: 0 }
  /** Whether the table is restored and its grid was not shown again yet. */
  isRestored = false
  /** A request to scroll: to the top, or by the number of rows that were removed above the visible ones. */
  scrollRequest = $state.raw<'top' | { readonly rows: number } | undefined>()
  readonly entityType: EntityTypePath
  readonly #writes: ValueWrites
  /** Edits that were refused while another value was edited. */
  #refused: Editing[] = []
  #query: TableQuery = { filter: {}, sorts: [], fields: [] }
  #loaded: Promise<void> = Promise.resolve()

  /** Whether the member may not create or delete rows. Then no row can be selected. */
  get isReadOnly(): boolean {
    return isReadOnly(this.entityType)
  }

  constructor(entityType: EntityTypePath) {
    this.entityType = entityType
    this.#writes = new ValueWrites(entityType, (entity) => this.rows.replace(entity))
    this.edits = new CellEdits(entityType, this.#writes)
  }

  /** Loads the rows of a query. The old rows stay until the first response. Returns the function that stops reading. */
  load(query: TableQuery): () => void {
    if (this.rows.hasBegun && JSON.stringify(query) === JSON.stringify(this.#query)) return this.#resume()
    const hasOtherFilter = JSON.stringify(query.filter) !== JSON.stringify(this.#query.filter)
    this.#query = query
    const rows = this.#open(query)
    if (hasOtherFilter) this.total = undefined
    this.#loaded = rows.begin().then(() => {
      if (this.#query !== query) return
      this.rows = rows
      this.newIds.clear()
      if (hasOtherFilter) this.selection.clear()
      if (!rows.isComplete) void this.count().catch(() => {}) // the toolbar offers to count again
    })
    return () => rows.stop()
  }

  #open(query: TableQuery): Rows {
    return new Rows((start, signal) => queryEntities(this.entityType, { ...query, limit: PAGE, ...start }, signal))
  }

  /** Reads the rows from the first one on, after many were written. The old ones stay until the response. */
  async reload(): Promise<void> {
    const query = this.#query
    const rows = this.#open(query)
    await rows.begin()
    if (this.#query !== query || !rows.hasBegun) return
    this.rows = rows
    this.total = undefined
    this.newIds.clear()
    this.activeRow = 0
    this.scrollRequest = 'top'
    if (!rows.isComplete) await this.count()
  }

  /** The number of rows that match the filter, as far as it is known. */
  get matching(): number {
    return this.rows.hasEnd ? this.rows.count : Math.max(this.total ?? 0, this.rows.count)
  }

  get filter(): Filter {
    return this.#query.filter
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
    await this.#loaded
    const loaded = this.rows.ids
    this.#removeDeleted(deleted)
    const changed = [...updated.keys()]
    await this.#readAgain(changed.filter((id) => loaded.has(id)))
    // A changed row that is not loaded may match the filter since, or may lie in a page that was not read yet.
    const others = this.rows.isComplete ? changed : []
    await this.#offer([...created, ...others].filter((id) => !loaded.has(id)))
  }

  async refresh(): Promise<void> {
    await this.#loaded
    const { filter } = this.#query
    this.rows.unloadInvisible()
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
      this.activeRow = 0
      this.scrollRequest = 'top'
    } catch (error) {
      toasts.fail(toApiError(error))
    }
  }

  async #putOnTop(): Promise<void> {
    const query = this.#query
    const entities = await readEntities(this.entityType, [...this.newIds], query.fields)
    if (this.#query !== query) return
    const loaded = this.rows.ids
    this.rows.prepend(...entities.filter(({ id }) => !loaded.has(id)))
    this.newIds.clear()
  }

  /** Rows that are being written show their input until the write ends. */
  async #readAgain(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const query = this.#query
    const read = () => readEntities(this.entityType, ids, query.fields)
    const { found: entities, isOutdated } = await this.#writes.read(ids, read)
    if (this.#query !== query) return
    const found = new Set(entities.map(({ id }) => id))
    this.rows.replace(...entities.filter(({ id }) => !isOutdated(id)))
    this.#removeDeleted(new Set(ids.filter((id) => !found.has(id))))
  }

  /** Offers the rows that match the filter and are not loaded. An empty table shows them at once. */
  async #offer(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { filter } = this.#query
    const key = this.entityType.kind === 'objects' ? 'record_id' : 'entry_id'
    const matching = { $and: [filter, { [key]: { $in: ids.slice(0, MAX_NEW) } }] }
    const { entities } = await queryEntities(this.entityType, { filter: matching, fields: [], limit: MAX_NEW })
    const loaded = this.rows.ids
    for (const { id } of entities) if (!loaded.has(id)) this.newIds.add(id)
    if (this.rows.isEmpty && this.newIds.size > 0) await this.#putOnTop()
  }

  /** Removes deleted rows. The visible rows and the active row stay in place. */
  #removeDeleted(ids: ReadonlySet<string>): void {
    const { rows } = this
    const { first } = rows.visible
    const gone = rows.countBefore(rows.count, ids)
    const above = first > 0 ? rows.countBefore(first + OVERSCAN, ids) : 0
    const before = rows.countBefore(this.activeRow, ids)
    for (const id of ids) this.newIds.delete(id)
    if (gone === 0) return
    this.activeRow -= before
    this.removeRows(ids, gone)
    if (above > 0) this.scrollRequest = { rows: -above }
  }

  /** Counts all rows of the query. Then the scroll bar reaches all of them. */
  async count(): Promise<void> {
    const query = this.#query
    const body = { filter: query.filter, limit: 1, fields: [], include_count: true }
    const { total } = await queryEntities(this.entityType, body)
    if (this.#query !== query || total === undefined) return
    this.total = total
    this.rows.extendTo(total, PAGE)
  }

  edit(entity: Entity, attribute: Attribute, anchor: HTMLElement | null, isTyped = false): void {
    if (anchor && isEditable(attribute)) this.editing = { entity, attribute, anchor, isTyped }
  }

  /** Saves an edit. The editor of a refused edit opens again with its input. */
  async save({ entity, attribute, anchor }: Editing, input: readonly unknown[]): Promise<void> {
    const optimistic = optimisticValues(this.entityType, attribute, input)
    const onsaved = (saved: Entity) => this.edits.add({ entity, attribute }, saved)
    const refused = await this.#writes.write({ entity, attribute, input, optimistic, onsaved })
    if (!refused) return
    const problem = refusalOf(refused.error, attribute, this.entityType)
    const isAnchored = anchor.isConnected && anchor.dataset.entity === entity.id
    if (!isAnchored) toasts.fail(`“${attribute.title}” wasn't saved. ${problem}`)
    else this.#refused.push({ entity: refused.entity, attribute, anchor, refused: { input, problem } })
    if (!this.editing) this.endEdit()
  }

  /** Closes the editor and opens the next refused edit. */
  endEdit(): void {
    this.editing = this.#refused.shift()
    const { row, column } = this.editing?.anchor.dataset ?? {}
    if (row === undefined || column === undefined) return
    this.activeRow = Number(row)
    this.activeColumn = Number(column)
  }

  removeRows(ids: ReadonlySet<string>, count = ids.size): void {
    this.rows.remove(ids)
    this.selection.remove(ids)
    if (this.total !== undefined) this.total -= count
  }

  /** Shows records that the member has restored, if they match the filter, as new rows on top. */
  async addRestored(ids: readonly string[]): Promise<void> {
    try {
      await this.#offer(ids)
      if (this.newIds.size > 0) await this.#putOnTop()
    } catch (error) {
      toasts.fail(toApiError(error))
    }
  }

  addRow(entity: Entity): void {
    this.newIds.delete(entity.id)
    if (this.rows.ids.has(entity.id)) return
    this.rows.prepend(entity)
    this.activeRow = 0
    if (this.total !== undefined) this.total += 1
  }
}
