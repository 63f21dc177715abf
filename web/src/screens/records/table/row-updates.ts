/** Keeps the loaded rows of a table up to date with what is created, changed, deleted and restored. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { type Filter, queryEntities, readEntities, type SortInput } from '../../../api/records/entities'
import type { Changes } from '../../../state/events/change-batch'
import type { ChangesConsumer } from '../../../state/events/follow-changes'
import type { ValueWrites } from '../../../state/value-writes'
import { OVERSCAN } from './grid/window'
import type { Rows } from './rows.svelte'

export interface TableQuery {
  readonly filter: Filter
  readonly sorts: readonly SortInput[]
  /** Slugs of the attributes whose values are read. */
  readonly fields: readonly string[]
}

/** The parts of a table that change with its rows. */
export interface UpdatedTable {
  readonly entityType: EntityTypePath
  readonly rows: Pick<
    Rows,
    'ids' | 'visible' | 'count' | 'isEmpty' | 'isComplete' | 'countBefore' | 'replace' | 'prepend' | 'unloadInvisible'
  >
  readonly query: TableQuery
  /** Ends with the first page of the query. */
  readonly loaded: Promise<void>
  readonly newIds: Set<string>
  activeRow: number
  scrollRequest: 'top' | { readonly rows: number } | undefined
  removeRows(ids: ReadonlySet<string>, count: number): void
}

/** The requests, which tests answer themselves. */
export interface RowReads {
  readonly query: typeof queryEntities
  readonly read: typeof readEntities
}

/** New rows beyond these are not counted. */
const MAX_NEW = 200

export class RowUpdates implements ChangesConsumer {
  readonly #table: UpdatedTable
  readonly #writes: Pick<ValueWrites, 'read'>
  readonly #reads: RowReads
  #last: Promise<void> = Promise.resolve()

  constructor(
    table: UpdatedTable,
    writes: Pick<ValueWrites, 'read'>,
    reads: RowReads = { query: queryEntities, read: readEntities },
  ) {
    this.#table = table
    this.#writes = writes
    this.#reads = reads
  }

  /** Shows the changes of other people, and offers the rows they created. */
  apply(changes: Changes): Promise<void> {
    return this.#inTurn(() => this.#apply(changes))
  }

  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refresh())
  }

  /** An earlier read that is answered after a later one would show old values. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {}) // the caller handles the error
    return mine
  }

  async #apply({ created, updated, deleted }: Changes): Promise<void> {
    await this.#table.loaded
    const loaded = this.#rows.ids
    for (const id of deleted) this.#table.newIds.delete(id)
    const changed = [...updated.keys()]
    // The rows of deleted records are read as well: they may have been restored since. Those of created ones may have been read before an update.
    await this.#readAgain([...created, ...deleted, ...changed].filter((id) => loaded.has(id)))
    // A changed row that is not loaded may match the filter since, or may lie in a page that was not read yet.
    const others = this.#rows.isComplete ? changed : []
    await this.#offer([...created, ...others].filter((id) => !loaded.has(id)))
  }

  async #refresh(): Promise<void> {
    await this.#table.loaded
    const { filter } = this.#table.query
    this.#rows.unloadInvisible()
    await this.#readAgain([...this.#rows.ids])
    if (!this.#rows.isComplete) return
    const sorts = [{ attribute: 'created_at', direction: 'desc' as const }]
    const { entities } = await this.#reads.query(this.#table.entityType, { filter, sorts, fields: [], limit: MAX_NEW })
    await this.#offer(entities.map(({ id }) => id))
  }

  /** Puts the offered rows on top and scrolls to them. */
  async showNew(): Promise<void> {
    await this.#putOnTop()
    this.#table.activeRow = 0
    this.#table.scrollRequest = 'top'
  }

  /** Shows restored records that match the filter, on top. */
  async addRestored(ids: readonly string[]): Promise<void> {
    await this.#offer(ids)
    if (this.#table.newIds.size > 0) await this.#putOnTop()
  }

  get #rows(): UpdatedTable['rows'] {
    return this.#table.rows
  }

  async #putOnTop(): Promise<void> {
    const { query, newIds, entityType } = this.#table
    const entities = await this.#reads.read(entityType, [...newIds], query.fields)
    if (this.#table.query !== query) return
    const loaded = this.#rows.ids
    this.#rows.prepend(...entities.filter(({ id }) => !loaded.has(id)))
    newIds.clear()
  }

  /** Reads loaded rows again and removes those that are deleted. Rows that are being written show their input until the write ends. */
  async #readAgain(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { query, entityType } = this.#table
    const read = () => this.#reads.read(entityType, ids, query.fields)
    const { found: entities, isOutdated } = await this.#writes.read(ids, read)
    if (this.#table.query !== query) return
    const found = new Set(entities.map(({ id }) => id))
    this.#rows.replace(...entities.filter(({ id }) => !isOutdated(id)))
    this.#removeDeleted(new Set(ids.filter((id) => !found.has(id))))
  }

  /** Offers the rows that match the filter and are not loaded. An empty table shows them at once. */
  async #offer(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { query, entityType, newIds } = this.#table
    const key = entityType.kind === 'lists' ? 'entry_id' : 'record_id'
    const filter = { $and: [query.filter, { [key]: { $in: ids.slice(0, MAX_NEW) } }] }
    const { entities } = await this.#reads.query(entityType, { filter, fields: [], limit: MAX_NEW })
    const loaded = this.#rows.ids
    for (const { id } of entities) if (!loaded.has(id)) newIds.add(id)
    if (this.#rows.isEmpty && newIds.size > 0) await this.#putOnTop()
  }

  /** Removes deleted rows. The visible rows and the active row stay in place. */
  #removeDeleted(ids: ReadonlySet<string>): void {
    const table = this.#table
    const { rows } = table
    const { first } = rows.visible
    const removed = rows.countBefore(rows.count, ids)
    const above = first > 0 ? rows.countBefore(first + OVERSCAN, ids) : 0
    const before = rows.countBefore(table.activeRow, ids)
    for (const id of ids) table.newIds.delete(id)
    if (removed === 0) return
    table.activeRow -= before
    table.removeRows(ids, removed)
    if (above > 0) table.scrollRequest = { rows: -above }
  }
}
