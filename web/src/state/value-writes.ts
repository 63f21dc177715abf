/** Writes of values. They are shown at once, sent one after the other for each entity, and reverted when refused. */

import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import type { Entity, Value } from '../api/records/entities'
import { ValueConflict, type ValueChange, writeValues } from '../api/records/write-values'
import { celebrateChange } from '../celebration/celebrate'

export interface ValueWrite {
  readonly entity: Entity
  readonly attribute: Attribute
  readonly input: readonly unknown[]
  /** The values that the service will most likely return. */
  readonly optimistic: readonly Value[]
  /** Called with the entity in the state of the service when the values were saved. */
  readonly onsaved?: (entity: Entity) => void
}

export interface RefusedWrite {
  /** The entity in the state of the service. */
  readonly entity: Entity
  readonly error: unknown
}

export type SendWrite = (entityType: EntityTypePath, id: string, change: ValueChange) => Promise<Entity>

export class ValueWrites {
  readonly #entityType: EntityTypePath
  readonly #show: (entity: Entity) => void
  readonly #sendChange: SendWrite
  /** The last response of the service for each entity with a running write. */
  readonly #confirmed = new Map<string, Entity>()
  readonly #last = new Map<string, Promise<RefusedWrite | undefined>>()
  /** What the service made of optimistic values. An editor that opened before the response has the optimistic ones. */
  readonly #savedAs = new WeakMap<readonly Value[], readonly Value[]>()
  /** For each running read, the ids of the entities that were written since it began. */
  readonly #writtenDuringReads = new Set<Set<string>>()

  constructor(entityType: EntityTypePath, show: (entity: Entity) => void, send: SendWrite = writeValues) {
    this.#entityType = entityType
    this.#show = show
    this.#sendChange = send
  }

  /** Resolves to undefined when the values were saved. */
  write(write: ValueWrite): Promise<RefusedWrite | undefined> {
    const { entity, attribute, optimistic } = write
    const { id } = entity
    for (const written of this.#writtenDuringReads) written.add(id)
    if (!this.#last.has(id)) this.#confirmed.set(id, entity)
    this.#show({ ...entity, values: { ...entity.values, [attribute.api_slug]: optimistic } })
    const before = this.#last.get(id) ?? Promise.resolve(undefined)
    const mine: Promise<RefusedWrite | undefined> = before.then(() =>
      this.#send(write, () => this.#last.get(id) === mine),
    )
    this.#last.set(id, mine)
    return mine.finally(() => this.#forget(id, mine))
  }

  /** Sends one write of several entities, after the running writes to them and before later ones. */
  async writeTogether(entities: readonly Entity[], send: () => Promise<readonly Entity[]>): Promise<void> {
    const ids = entities.map(({ id }) => id)
    for (const written of this.#writtenDuringReads) for (const id of ids) written.add(id)
    for (const entity of entities) if (!this.#last.has(entity.id)) this.#confirmed.set(entity.id, entity)
    const before = Promise.all(ids.map((id) => this.#last.get(id)))
    const sent = before.then(send).then((saved) => this.#confirm(saved))
    const settled = sent.catch(() => undefined)
    for (const id of ids) this.#last.set(id, settled)
    await sent.finally(() => ids.forEach((id) => this.#forget(id, settled)))
  }

  #confirm(saved: readonly Entity[]): undefined {
    for (const entity of saved) {
      this.#confirmed.set(entity.id, entity)
      this.#show(entity)
    }
  }

  /** Whether a write to this record or entry is running. */
  isWriting(id: string): boolean {
    return this.#last.has(id)
  }

  /** Waits for the running writes to these records or entries. */
  async settled(ids: Iterable<string>): Promise<void> {
    await Promise.all([...ids].map((id) => this.#last.get(id)))
  }

  /**
   * Reads after the running writes to these entities. `isOutdated` is true for an entity that was written since the call: the
   * read may have its earlier values, and the events of that write follow.
   */
  async read<T>(
    ids: readonly string[],
    read: () => Promise<T>,
  ): Promise<{ found: T; isOutdated: (id: string) => boolean }> {
    const written = new Set<string>()
    this.#writtenDuringReads.add(written)
    try {
      await this.settled(ids)
      const found = await read()
      return { found, isOutdated: (id) => written.has(id) || this.isWriting(id) }
    } finally {
      this.#writtenDuringReads.delete(written)
    }
  }

  /** Shows the answer of the service, unless a later write is waiting, whose values stay shown. */
  async #send(
    { entity: { id }, attribute, input, optimistic, onsaved }: ValueWrite,
    isLast: () => boolean,
  ): Promise<RefusedWrite | undefined> {
    const confirmed = this.#confirmed.get(id)
    if (!confirmed) return undefined
    const slug = attribute.api_slug
    try {
      const seen = confirmed.values[slug] ?? []
      const change = { attribute: slug, seen: this.#savedAs.get(seen) ?? seen, input }
      const entity = await this.#sendChange(this.#entityType, id, change)
      this.#confirmed.set(id, entity)
      this.#savedAs.set(optimistic, entity.values[slug] ?? [])
      if (isLast()) this.#show(entity)
      celebrateChange(change.seen, entity.values[slug] ?? [])
      onsaved?.(entity)
      return undefined
    } catch (error) {
      // A conflict stays unconfirmed: the person saw its values in no later write either, so those are refused as well.
      const entity = error instanceof ValueConflict ? error.entity : confirmed
      if (isLast()) this.#show(entity)
      return { entity, error }
    }
  }

  #forget(id: string, mine: Promise<unknown>): void {
    if (this.#last.get(id) !== mine) return
    this.#last.delete(id)
    this.#confirmed.delete(id)
  }
}
