/** The attributes of the records to which a table refers: those of parent records, and those behind references with one value. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { type Entity, withReferencedValues } from '../../../api/records/entities'
import { PARENT_RECORD, referencedAttribute, type ReferenceTo } from '../../../api/records/referenced-values'
import { attributesOf } from '../../../state/attributes.svelte'
import { getDataModel, referencedTypes, type WorkspaceObject } from '../../../state/data-model.svelte'

export class ReferencedAttributes {
  readonly #entityType: EntityTypePath
  readonly #own: () => readonly Attribute[] | undefined
  readonly #model = getDataModel()

  /** `own` are the attributes of the table itself; undefined until they are loaded. */
  constructor(entityType: EntityTypePath, own: () => readonly Attribute[] | undefined) {
    this.#entityType = entityType
    this.#own = own
  }

  /** What leads to records of one object each. References to records of all objects lead to none. */
  readonly #references: readonly ReferenceTo[] = $derived.by(() =>
    (this.#own() ?? [])
      .filter(({ type, is_multiselect, is_archived }) => type === 'record-reference' && !is_multiselect && !is_archived)
      .flatMap((reference) => {
        const isParent = reference.api_slug === PARENT_RECORD
        const objects = isParent ? this.#parents : this.#objectsOf(reference)
        return objects.flatMap(({ api_slug, singular_noun }) => {
          if (api_slug === null) return []
          const noun = singular_noun ?? api_slug
          const title = isParent ? noun : objects.length > 1 ? `${reference.title} (${noun})` : reference.title
          return [{ reference, title, object: api_slug }]
        })
      }),
  )

  get #parents(): readonly WorkspaceObject[] {
    const { lists = [], objects = [] } = this.#model.data ?? {}
    const list = this.#entityType.kind === 'lists' && lists.find(({ api_slug }) => api_slug === this.#entityType.slug)
    const slugs = list ? list.parent_object : []
    return slugs.flatMap((slug) => objects.find(({ api_slug }) => api_slug === slug) ?? [])
  }

  #objectsOf(reference: Attribute): readonly WorkspaceObject[] {
    const { objects = [] } = this.#model.data ?? {}
    const isOpen = reference.config.record_reference.allowed_object_ids === null
    return isOpen ? [] : (referencedTypes(reference, objects) as readonly WorkspaceObject[]) // a selection of the objects
  }

  readonly #loaded = $derived(
    this.#references.map((to) => ({ to, loaded: attributesOf({ kind: 'objects', slug: to.object }) })),
  )

  /** Whether `attributes` are complete, or cannot be loaded. */
  readonly isSettled: boolean = $derived.by(
    () =>
      this.#own() !== undefined &&
      (this.#model.data !== undefined || this.#model.error !== undefined) &&
      this.#loaded.every(({ loaded }) => loaded?.data !== undefined || loaded?.error !== undefined),
  )

  /** None until they are loaded. */
  readonly attributes: readonly Attribute[] = $derived(
    this.#loaded.flatMap(({ to, loaded }) =>
      (loaded?.data ?? [])
        .filter(({ is_archived }) => !is_archived)
        .map((attribute) => referencedAttribute(to, attribute)),
    ),
  )

  /**
   * A new record or entry with the values of the records to which it refers, which the answer of the service does not have; without
   * them if they cannot be read.
   */
  async complete(entity: Entity): Promise<Entity> {
    const slugs = this.attributes.map(({ api_slug }) => api_slug)
    const [complete = entity] = await withReferencedValues([entity], slugs).catch(() => [])
    return complete
  }
}
