/** The attributes of a record that refer to other records. */

import type { Attribute, RecordTypePath } from '../../../../api/data-model/attributes'
import type { Value, Values } from '../../../../api/records/entities'
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
  readonly values: readonly Value[]
  /** Of attributes of several records, which can get one more by its creation. */
  readonly referring: Referring | undefined
}

/** Those that have values or can get one by the creation of a record. */
export const relationsOf = (attributes: readonly Attribute[], values: Values): readonly Relation[] =>
  attributes
    .filter((attribute) => valueTypeOf(attribute).isReference && !attribute.is_archived)
    .map((attribute) => ({
      attribute,
      values: values[attribute.api_slug] ?? [],
      referring: referringOf(attribute),
    }))
    .filter(({ values, referring }) => values.length > 0 || referring !== undefined)

/** Undefined for activities, whose records are logged in their own tabs. */
function referringOf(attribute: Attribute): Referring | undefined {
  const { relationship, is_multiselect } = attribute
  if (relationship === null || !is_multiselect || !isEditable(attribute)) return undefined
  if (isActivity(relationship.object_slug)) return undefined
  return { type: { kind: 'objects', slug: relationship.object_slug }, slug: relationship.api_slug }
}
