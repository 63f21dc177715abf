/** The parent records of a list: their attributes as columns, and their changes. */

import type { Attribute } from '../../api/data-model/attributes'
import { type Entity, withParentValues } from '../../api/records/entities'
import { parentAttribute } from '../../api/records/parent-values'
import { attributesOf } from '../../state/attributes.svelte'
import { getDataModel } from '../../state/data-model.svelte'
import { followChanges } from '../../state/events/follow-changes'
import type { Table } from '../records/table/table.svelte'

export class Parents {
  readonly #slug: string
  readonly #model = getDataModel()

  constructor(listSlug: string) {
    this.#slug = listSlug
  }

  readonly #objects = $derived.by(() => {
    const { lists = [], objects = [] } = this.#model.data ?? {}
    const slugs = lists.find(({ api_slug }) => api_slug === this.#slug)?.parent_object ?? []
    return slugs.flatMap((slug) => {
      const object = objects.find(({ api_slug }) => api_slug === slug)
      if (object === undefined) return []
      return [{ slug, noun: object.singular_noun ?? slug, id: object.id.object_id }]
    })
  })

  /** Stays the same when the data model is read again, so that `follow` continues with the changes that it has collected. */
  readonly #objectIds = $derived(this.#objects.map(({ id }) => id).join())

  readonly #loaded = $derived(
    this.#objects.map((object) => ({ ...object, loaded: attributesOf({ kind: 'objects', slug: object.slug }) })),
  )

  /** Whether `attributes` are complete, or cannot be loaded. */
  readonly isSettled: boolean = $derived(
    this.#objects.length === 0
      ? this.#model.data !== undefined || this.#model.error !== undefined
      : this.#loaded.every(({ loaded }) => loaded?.data !== undefined || loaded?.error !== undefined),
  )

  /** The attributes of the parent records; none until they are loaded. */
  readonly attributes: readonly Attribute[] = $derived(
    this.#loaded.flatMap(({ slug, noun, loaded }) =>
      (loaded?.data ?? [])
        .filter(({ is_archived }) => !is_archived)
        .map((attribute) => parentAttribute(slug, noun, attribute)),
    ),
  )

  /** A new entry with the values of its parent record, which the answer of the service does not have. */
  async complete(entry: Entity): Promise<Entity> {
    const slugs = this.attributes.map(({ api_slug }) => api_slug)
    const [complete] = await withParentValues([entry], slugs)
    return complete ?? entry
  }

  /** Reads the rows of changed records again. For use in an effect. */
  follow(table: Table): (() => void) | undefined {
    if (this.#objectIds === '') return undefined
    const ends = this.#objectIds.split(',').map((id) =>
      followChanges(id, {
        async apply({ updated }) {
          await table.loaded
          const ids = table.rows.idsOfParents(new Set(updated.keys()))
          return table.apply({ created: NONE, updated: new Map(ids.map((one) => [one, NONE])), deleted: NONE })
        },
        refresh: table.refresh,
      }),
    )
    return () => ends.forEach((end) => end())
  }
}

const NONE: ReadonlySet<string> = new Set()
