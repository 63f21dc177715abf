/** Entities in columns, one for each option of an attribute and one for entities without. */

import type { Attribute, Option } from '../../../api/data-model/attributes'
import { type Entity, readMatching } from '../../../api/records/entities'
import { keepReferencedValues } from '../../../api/records/referenced-values'
import type { Changes } from '../../../state/events/change-batch'
import type { ChangesConsumer } from '../../../state/events/follow-changes'
import { toasts } from '../../../state/toasts.svelte'
import { type ValueWrite, ValueWrites } from '../../../state/value-writes'
import { refusalOf } from '../../../values/refusals'
import { optimisticValues } from '../../../values/registry'
import { CellEdits } from '../table/cells/cell-edits'
import { type BoardQuery, optionIdOf, valuesWith } from './board-query'
import { Column } from './column.svelte'

interface BoardPosition {
  /** The scroll position of the board. */
  left: number
  /** The scroll positions of its visible columns, in their order. */
  tops: readonly number[]
  /** The element id of the card that had the focus last. */
  focusedCard: string
}

/** The value of a card that is being edited. */
export interface CardEditing {
  readonly entry: Entity
  readonly attribute: Attribute
  /** The element that the editor covers. */
  readonly anchor: HTMLElement
}

export class Board implements ChangesConsumer {
  readonly columns: readonly Column[]
  /** The last move, for screen readers. */
  announcement = $state('')
  /** Restored by Back. */
  readonly position: BoardPosition = { left: 0, tops: [], focusedCard: '' }
  readonly query: BoardQuery
  /** The last moves and edits, which can be undone. */
  readonly edits: CellEdits
  editing = $state.raw<CardEditing | undefined>()
  readonly #writes: ValueWrites
  /** The number of cards that were shown, moved or removed one by one. */
  #changedCards = 0

  constructor(query: BoardQuery, options: readonly Option[]) {
    this.query = query
    this.#writes = new ValueWrites(query.entityType, (entry) => this.#show(entry))
    this.edits = new CellEdits(query.entityType, this.#writes)
    const present = options.filter(({ is_archived }) => !is_archived)
    const archived = options.filter(({ is_archived }) => is_archived)
    this.columns = [null, ...present, ...archived].map((option) => new Column(query, option))
  }

  async move(entry: Entity, to: Column): Promise<void> {
    if (to.isArchived || to.entries.some(({ id }) => id === entry.id)) return
    this.announcement = `Moved to ${to.title}.`
    await this.#write({
      entity: entry,
      attribute: this.query.attribute,
      input: to.id === null ? [] : [to.id],
      optimistic: valuesWith(this.query, to.id === null ? null : { id: to.id, shown: to.option }),
    })
  }

  /** Saves an edited value of a card. */
  save({ entry: entity, attribute }: CardEditing, input: readonly unknown[]): Promise<void> {
    return this.#write({
      entity,
      attribute,
      input,
      optimistic: optimisticValues(this.query.entityType, attribute, input),
    })
  }

  async #write(write: ValueWrite): Promise<void> {
    const { entity, attribute } = write
    const onsaved = (saved: Entity) => this.edits.add({ entity, attribute }, saved)
    const refused = await this.#writes.write({ ...write, onsaved })
    if (!refused) return
    const reason = refusalOf(refused.error, attribute, this.query.entityType)
    toasts.fail(`“${attribute.title}” wasn't saved. ${reason}`)
  }

  /** The column to which Shift and an arrow key move a card. */
  columnBeside(column: Column, by: number): Column | undefined {
    const beside = this.columns[this.columns.indexOf(column) + by]
    return beside?.isArchived === true ? this.columnBeside(beside, by) : beside
  }

  /** Shows an entity that was just created here. */
  added(entry: Entity): void {
    this.#show(entry)
  }

  /** Shows the changes of other people. */
  async apply({ created, updated, deleted }: Changes): Promise<void> {
    const isShown = (id: string) => this.columns.some((column) => column.has(id))
    const byOption = this.query.attribute.id.attribute_id
    const isFiltered = Object.keys(this.query.filter).length > 0
    const changed = [...updated].filter(([id, attributes]) => isShown(id) || isFiltered || attributes.has(byOption))
    // The column of an entity whose card was not loaded is unknown, so all counts are read again.
    if (changed.some(([id]) => !isShown(id)) || [...deleted].some((id) => !isShown(id))) return this.refresh()
    for (const id of deleted) this.#remove(id)
    const ids = [...created, ...changed.map(([id]) => id)]
    if (ids.length === 0) return
    const { entityType, filter, fields } = this.query
    const { found: entities, isOutdated } = await this.#writes.read(ids, () =>
      readMatching(entityType, ids, { filter, fields }),
    )
    const present = new Set(entities.map(({ id }) => id))
    for (const entry of entities) if (!isOutdated(entry.id)) this.#show(entry)
    for (const id of ids) if (!present.has(id)) this.#remove(id)
  }

  async refresh(): Promise<void> {
    await this.#writes.settled(this.columns.flatMap(({ entries }) => entries.map(({ id }) => id)))
    const before = this.#changedCards
    const shows = await Promise.all(this.columns.map((column) => column.readAgain()))
    // A card that changed during the read may be in its earlier column in what was read.
    if (this.#changedCards !== before) return this.refresh()
    for (const show of shows) show()
  }

  #remove(id: string): void {
    this.#changedCards += 1
    for (const column of this.columns) column.remove(id)
  }

  /** Shows an entity in the column of its option. */
  #show(state: Entity): void {
    this.#changedCards += 1
    const before = this.columns.flatMap(({ entries }) => entries).find(({ id }) => id === state.id)
    const entry = keepReferencedValues(before, state)
    const id = optionIdOf(entry, this.query.attribute)
    const column = this.columns.find((one) => one.id === id)
    if (column?.replace(entry)) return
    this.#remove(entry.id)
    column?.prepend(entry)
  }
}
