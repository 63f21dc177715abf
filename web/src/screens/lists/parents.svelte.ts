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

  readonly #object = $derived.by(() => {
    const { lists = [], objects = [] } = this.#model.data ?? {}
    const slug = lists.find(({ api_slug }) => api_slug === this.#slug)?.parent_object[0]
    return objects.find(({ api_slug }) => api_slug === slug)
  })

  /** Stays the same when the data model is read again, so that `follow` continues with the changes that it has collected. */
  readonly #objectId = $derived(this.#object?.id.object_id)

  readonly #loaded = $derived.by(() => {
    const slug = this.#object?.api_slug
    return slug === undefined || slug === null ? undefined : attributesOf({ kind: 'objects', slug })
  })

  /** Whether `attributes` are complete, or cannot be loaded. */
  readonly isSettled: boolean = $derived(
    this.#object === undefined
      ? this.#model.data !== undefined || this.#model.error !== undefined
      : this.#loaded?.data !== undefined || this.#loaded?.error !== undefined,
  )

  /** The attributes of the parent records; none until they are loaded. */
  readonly attributes: readonly Attribute[] = $derived.by(() => {
    const { api_slug: slug, singular_noun: noun } = this.#object ?? {}
    if (slug === undefined || slug === null) return []
    const all = this.#loaded?.data ?? []
    return all.filter(({ is_archived }) => !is_archived).map((one) => parentAttribute(slug, noun ?? slug, one))
  })

  /** A new entry with the values of its parent record, which the answer of the service does not have. */
  async complete(entry: Entity): Promise<Entity> {
    const slugs = this.attributes.map(({ api_slug }) => api_slug)
    const [complete] = await withParentValues([entry], slugs)
    return complete ?? entry
  }

  /** Reads the rows of changed records again. For use in an effect. */
  follow(table: Table): (() => void) | undefined {
    if (this.#objectId === undefined) return undefined
    return followChanges(this.#objectId, {
      async apply({ updated }) {
        await table.loaded
        const ids = table.rows.idsOfParents(new Set(updated.keys()))
        return table.apply({ created: NONE, updated: new Map(ids.map((one) => [one, NONE])), deleted: NONE })
      },
      refresh: table.refresh,
    })
  }
}

const NONE: ReadonlySet<string> = new Set()
