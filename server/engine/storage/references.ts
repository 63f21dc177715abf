/** The columns in which references are stored, and the attributes that have them. */

import { attributeType } from '#engine/attribute-types/registry'
import { columnName } from '#engine/attribute-types/definition/columns'
import { allowsObject, entityTypeOf, otherSideOf } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType, ObjectType } from '#engine/data-model/model'

/** The column of an attribute's own table that holds the ids of the records it refers to. */
export const targetColumn = (attribute: Attribute): string => columnName(attribute, 'target_record_id')

/** The column that holds the numbers of the objects of those records. */
export const targetObjectColumn = (attribute: Attribute): string => columnName(attribute, 'target_object')

/** The side of a relationship that stores the references, and its entity type. */
export interface Partner {
  readonly attribute: Attribute
  readonly entityType: EntityType
}

/** The partner of a derived attribute. */
export function getPartner(model: DataModel, derived: Attribute): Partner {
  const attribute = otherSideOf(model, derived)
  if (!attribute) throw new Error(`Attribute ${derived.id} is derived from a partner that does not exist.`)
  return { attribute, entityType: entityTypeOf(model, attribute) }
}

/** Whether an attribute is one side of a two-sided relationship. */
export const isRelationship = (model: DataModel, attribute: Attribute): boolean =>
  otherSideOf(model, attribute) !== undefined

/** Whether an attribute has columns of references. */
export const storesReferences = ({ type, stored_in }: Attribute): boolean =>
  attributeType(type).refersToRecords === true && stored_in === 'columns'

/** The attributes, of all entity types and archived or not, whose columns may hold a reference to records of `object`. */
export const attributesReferringTo = (model: DataModel, object: ObjectType): Attribute[] =>
  [...model.attributesById.values()].filter(
    (attribute) => storesReferences(attribute) && allowsObject(attribute, object),
  )
