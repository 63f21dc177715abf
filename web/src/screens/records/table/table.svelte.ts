/** The state of a table: its rows, the active cell and the edited value. */

import { SvelteSet } from 'svelte/reactivity'
import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { toApiError } from '../../../api/errors'
import { type Filter, type Entity, queryEntities } from '../../../api/records/entities'
import type { Changes } from '../../../state/events/change-batch'
import type { ChangesConsumer } from '../../../state/events/follow-changes'
import { isReadOnly } from '../../../state/object-access'
import { recall } from '../../../router/screen-memory'
import { toasts } from '../../../state/toasts.svelte'
import { ValueWrites } from '../../../state/value-writes'
import { refusalOf, type RefusedInput } from '../../../values/refusals'
import { optimisticValues, isEditable } from '../../../values/registry'
import { CellEdits } from './cells/cell-edits'
import { entityIdAt, positionOf } from './cells/cell-elements'
import { CellRange } from './cells/range.svelte'
import { RowUpdates, type TableQuery } from './row-updates'
import { Rows } from './rows.svelte'
import { Selection } from './selection/selection.svelte'

/** The number of rows of a page. */
const PAGE = 200

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

export class Table implements ChangesConsumer {
  /** The rows of the last query that was answered. */
  rows = $state.raw<Rows>(new Rows(() => Promise.reject(new Error('The table has no query yet.'))))
  readonly selection: Selection
  /** The tables of the groups that are shown. */
  readonly parts = new Set<Table>()
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
  readonly #updates: RowUpdates
  /** Edits that were refused while another value was edited. */
  #refused: Editing[] = []
  query: TableQuery = { filter: {}, sorts: [], fields: [] }
  /** Ends with the first page of the query. */
  loaded: Promise<void> = Promise.resolve()

  /** Whether the member may not create or delete rows. Then no row can be selected. */
  get isReadOnly(): boolean {
    return isReadOnly(this.entityType)
  }

  constructor(entityType: EntityTypePath, select = (rows: () => Rows) => new Selection(rows)) {
    this.entityType = entityType
    this.selection = select(() => this.rows)
    this.#writes = new ValueWrites(entityType, (entity) => this.rows.replace(entity))
    this.edits = new CellEdits(entityType, this.#writes)
    this.#updates = new RowUpdates(this, this.#writes)
  }

  /** Loads the rows of a query. The old rows stay until the first response. Returns the function that stops reading. */
  load(query: TableQuery): () => void {
    if (this.rows.hasBegun && JSON.stringify(query) === JSON.stringify(this.query)) return this.#resume()
    const isFirst = !this.rows.hasBegun
    const hasOtherFilter = JSON.stringify(query.filter) !== JSON.stringify(this.query.filter)
    this.query = query
    const rows = this.#open(query)
    if (hasOtherFilter) this.total = undefined
    this.loaded = rows.begin().then(() => {
      if (this.query !== query) return
      this.rows = rows
      this.newIds.clear()
      if (hasOtherFilter && !isFirst) this.selection.clear()
      if (!rows.isComplete) void this.count().catch(() => {}) // the toolbar offers to count again
    })
    return () => rows.stop()
  }

  #open(query: TableQuery): Rows {
    return new Rows((start, signal) => queryEntities(this.entityType, { ...query, limit: PAGE, ...start }, signal))
  }

  /** Reads the rows from the first one on, after many were written. The old ones stay until the response. */
  async reload(): Promise<void> {
    for (const part of this.parts) if (part.rows.hasBegun) void part.reload()
    const query = this.query
    const rows = this.#open(query)
    await rows.begin()
    if (this.query !== query || !rows.hasBegun) return
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
    return this.query.filter
  }

  /** Continues with the rows that were read before, and refreshes them. */
  #resume(): () => void {
    const { rows } = this
    rows.resume()
    void this.refresh().catch((error: unknown) => toasts.fail(error))
    return () => rows.stop()
  }

  apply = (changes: Changes): Promise<void> => this.#updates.apply(changes)
  refresh = (): Promise<void> => this.#updates.refresh()

  /** Puts the rows that other people created on top and scrolls to them. */
  showNew = (): Promise<void> => reportFailure(this.#updates.showNew())

  /** Shows records that the member has restored, if they match the filter, as new rows on top. */
  addRestored = (ids: readonly string[]): Promise<void> => reportFailure(this.#updates.addRestored(ids))

  /** Counts all rows of the query. Then the scroll bar reaches all of them. */
  async count(): Promise<void> {
    const query = this.query
    const body = { filter: query.filter, limit: 1, fields: [], include_count: true }
    const { total } = await queryEntities(this.entityType, body)
    if (this.query !== query || total === undefined) return
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
    const isAnchored = anchor.isConnected && entityIdAt(anchor) === entity.id
    if (!isAnchored) toasts.fail(`“${attribute.title}” wasn't saved. ${problem}`)
    else this.#refused.push({ entity: refused.entity, attribute, anchor, refused: { input, problem } })
    if (!this.editing) this.endEdit()
  }

  /** Closes the editor and opens the next refused edit. */
  endEdit(): void {
    this.editing = this.#refused.shift()
    const position = positionOf(this.editing?.anchor ?? null)
    if (!position) return
    this.activeRow = position.row
    this.activeColumn = position.column
  }

  removeRows(ids: ReadonlySet<string>, count = ids.size): void {
    for (const part of this.parts) part.removeRows(ids, part.rows.countBefore(part.rows.count, ids))
    this.rows.remove(ids)
    this.selection.remove(ids)
    if (this.total !== undefined) this.total -= count
  }

  addRow(entity: Entity): void {
    this.newIds.delete(entity.id)
    if (this.rows.ids.has(entity.id)) return
    this.rows.prepend(entity)
    this.activeRow = 0
    if (this.total !== undefined) this.total += 1
  }
}

const reportFailure = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => toasts.fail(toApiError(error)))
