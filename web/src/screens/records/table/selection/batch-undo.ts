/**
 * The undo of an update that was sent in batches: it puts back the values that nobody changed since. Updates that run as jobs over
 * records are undone by the service.
 */

import type { Attribute, EntityTypePath } from '../../../../api/data-model/attributes'
import type { BatchOutcome } from '../../../../api/records/bulk'
import { readEntities } from '../../../../api/records/entities'
import { updateEntities } from '../../../../api/records/update-many'
import { inputOfValues } from '../../../../values/registry'

type Input = readonly unknown[]

export class BatchUndo {
  readonly #entityType: EntityTypePath
  readonly #attribute: Attribute
  /** The values of the written rows before and after the update, in the form in which the API takes them. */
  readonly #changes = new Map<string, { readonly before: Input; readonly after: Input }>()

  constructor(entityType: EntityTypePath, attribute: Attribute) {
    this.#entityType = entityType
    this.#attribute = attribute
  }

  /** The rows that can be put back. */
  get ids(): readonly string[] {
    return [...this.#changes.keys()]
  }

  /** Writes a batch, and remembers what it changes. */
  async record(ids: readonly string[], write: () => Promise<BatchOutcome>): Promise<BatchOutcome> {
    const before = await this.#read(ids)
    const outcome = await write()
    for (const [id, after] of await this.#read(outcome.done)) {
      const earlier = before.get(id)
      if (earlier !== undefined && !isSame(earlier, after)) this.#changes.set(id, { before: earlier, after })
    }
    return outcome
  }

  /** Puts back the values of a batch. */
  async putBack(ids: readonly string[]): Promise<BatchOutcome> {
    const now = await this.#read(ids)
    const updates = ids.flatMap((id) => {
      const change = this.#changes.get(id)
      const isUnchanged = change !== undefined && isSame(now.get(id) ?? null, change.after)
      return isUnchanged ? [{ id, values: { [this.#attribute.api_slug]: change.before } }] : []
    })
    const results = updates.length === 0 ? [] : await updateEntities(this.#entityType, updates)
    return {
      done: results.flatMap((result) => ('entity' in result ? [result.entity.id] : [])),
      refusals: results.flatMap((result) => ('error' in result ? [result.error.message] : [])),
      kept: ids.length - updates.length,
    }
  }

  async #read(ids: readonly string[]): Promise<Map<string, Input>> {
    const slug = this.#attribute.api_slug
    const entities = ids.length === 0 ? [] : await readEntities(this.#entityType, ids, [slug])
    return new Map(entities.map(({ id, values }) => [id, inputOfValues(this.#attribute, values[slug] ?? [])]))
  }
}

const isSame = (one: Input | null, other: Input): boolean => JSON.stringify(one) === JSON.stringify(other)
