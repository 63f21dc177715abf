/** The attributes of a record to which other records refer. */

import type { Attribute, RecordTypePath } from '../../../../api/data-model/attributes'
import { isActivity } from '../../../../state/data-model.svelte'
import { isEditable, valueTypeOf } from '../../../../values/registry'

/** A reference from records of an object: its attribute on the other side of a relationship. */
export interface Referring {
  readonly type: RecordTypePath
  /** The slug of the attribute. */
  readonly slug: string
}

export interface Relation {
  readonly attribute: Attribute
  readonly referring: Referring
}

/** Those of several records. Other references are among the details, and records of activities have tabs of their own. */
export const relationsOf = (attributes: readonly Attribute[]): readonly Relation[] =>
  attributes
    .filter((attribute) => valueTypeOf(attribute).isReference && !attribute.is_archived)
    .flatMap((attribute) => {
      const referring = referringOf(attribute)
      return referring === undefined ? [] : [{ attribute, referring }]
    })

function referringOf({ relationship, is_multiselect }: Attribute): Referring | undefined {
  if (relationship === null || !is_multiselect || isActivity(relationship.object_slug)) return undefined
  return { type: { kind: 'objects', slug: relationship.object_slug }, slug: relationship.api_slug }
}

/** Whether a record that refers to this one can be created on its page. */
export const canCreate = ({ attribute }: Relation): boolean => isEditable(attribute)
