/**
 * The attributes of an entity type that filters and sorts can name.
 * See docs/reference/query.md (Fields by type) and docs/reference/objects-and-attributes.md (System attributes).
 */

import { findAttribute, visibleAttributes } from '#engine/data-model/find'
import { closestSlug } from '#engine/data-model/access/hidden'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'

/** Finds a visible attribute, or one over the entity's own columns, such as `updated_at`. */
export function findSearchable(model: DataModel, entityType: EntityType, slugOrId: string): Attribute | undefined {
  const attribute = findAttribute(entityType, slugOrId)
  if (!attribute || attribute.is_archived) return undefined
  return attribute.stored_in === 'entity' || visibleAttributes(model, entityType).includes(attribute)
    ? attribute
    : undefined
}

/** The slug closest to a name that is not an attribute. */
export const closestSearchable = (model: DataModel, entityType: EntityType, word: string): string | undefined =>
  closestSlug(word, visibleAttributes(model, entityType))
