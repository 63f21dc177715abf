/** The entries of a list in columns, one for each status and one for entries without. */

import type { Attribute, Option, EntityTypePath } from '../../../api/data-model/attributes'
import { type Entity, readEntities, type Value } from '../../../api/records/entities'
import type { Changes } from '../../../state/events/change-batch'
import type { ChangesConsumer } from '../../../state/events/follow-changes'
import { toasts } from '../../../state/toasts.svelte'
import { ValueWrites } from '../../../state/value-writes'
import { refusalOf } from '../../../values/refusals'
import { optimisticValues } from '../../../values/registry'
import { optionIn } from '../../../values/parts/option'
import { Column } from './column.svelte'

interface BoardPosition {
  /** The scroll position of the board. */
  left: number
  /** The scroll positions of its visible columns, in their order. */
  tops: readonly number[]
  /** The element id of the card that had the focus last. */
  focusedCard: string
}

export class Board implements ChangesConsumer {
  readonly columns: readonly Column[]
  /** The last move, for screen readers. */
  announcement = $state('')
  /** Restored by Back. */
  readonly position: BoardPosition = { left: 0, tops: [], focusedCard: '' }
  readonly #entityType: EntityTypePath
  readonly #attribute: Attribute
  readonly #writes: ValueWrites
  /** The number of cards that were shown, moved or removed one by one. */
  #changedCards = 0

  constructor(entityType: EntityTypePath, attribute: Attribute, options: readonly Option[]) {
    this.#entityType = entityType
    this.#attribute = attribute
    this.#writes = new ValueWrites(entityType, (entry) => this.#show(entry))
    const present = options.filter(({ is_archived }) => !is_archived)
    this.columns = [null, ...present].map((option) => new Column(entityType, attribute, option))
  }

  async move(entry: Entity, to: Column): Promise<void> {
    if (to.entries.some(({ id }) => id === entry.id)) return
    const attribute = this.#attribute
    const input = to.id === null ? [] : [to.id]
    this.announcement = `Moved to ${to.title}.`
    const refused = await this.#writes.write({ entity: entry, attribute, input, optimistic: this.#optimistic(to) })
    if (refused)
      toasts.fail(`“${attribute.title}” wasn't saved. ${refusalOf(refused.error, attribute, this.#entityType)}`)
  }

  /** Values with the status of the column, so that the card is shown there at once. */
  #optimistic({ id, option }: Column): readonly Value[] {
    const values = optimisticValues(this.#entityType, this.#attribute, id === null ? [] : [id])
    return values.map((value) => ({ ...value, status: option }))
  }

  /** Shows an entry that was just created here. */
  added(entry: Entity): void {
    this.#show(entry)
  }

  /** Shows the changes of other people. */
  async apply({ created, updated, deleted }: Changes): Promise<void> {
    const isShown = (id: string) => this.columns.some((column) => column.has(id))
    const byStatus = this.#attribute.id.attribute_id
    const changed = [...updated].filter(([id, attributes]) => isShown(id) || attributes.has(byStatus))
    // The column of an entry whose card was not loaded is unknown, so all counts are read again.
    if (changed.some(([id]) => !isShown(id)) || [...deleted].some((id) => !isShown(id))) return this.refresh()
    for (const id of deleted) this.#remove(id)
    const ids = [...created, ...changed.map(([id]) => id)]
    if (ids.length === 0) return
    const { found: entities, isOutdated } = await this.#writes.read(ids, () => readEntities(this.#entityType, ids))
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

  /** Shows an entry in the column of its status. */
  #show(entry: Entity): void {
    this.#changedCards += 1
    const value = entry.values[this.#attribute.api_slug]?.[0]
    const id = value === undefined ? null : optionIn(value.status).id
    const column = this.columns.find((one) => one.id === id)
    if (column?.replace(entry)) return
    this.#remove(entry.id)
    column?.prepend(entry)
  }
}
