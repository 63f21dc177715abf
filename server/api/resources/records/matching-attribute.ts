import { attributeType } from '#engine/attribute-types/registry'
import { findAttribute, visibleAttributes } from '#engine/data-model/find'
import { closestSlug } from '#engine/data-model/access/hidden'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { missingParameter } from '#base/errors/http'
import { matchingAttributeNotUnique, unknownMatchingAttribute } from '#base/errors/records'

/**
 * Returns the matching attribute that a request names. Throws 400 when it names none, when the attribute does not exist,
 * and when it is not unique. See docs/reference/records.md (Assert).
 */
export function getMatchingAttribute(
  model: DataModel,
  entityType: ObjectType,
  slugOrId: string | undefined,
): Attribute {
  if (slugOrId === undefined || slugOrId === '') throw missingParameter('matching_attribute')
  const visible = visibleAttributes(model, entityType)
  const attribute = findAttribute(entityType, slugOrId)
  const matching = visible.filter(canMatch)
  if (!attribute || !visible.includes(attribute))
    throw unknownMatchingAttribute(slugOrId, closestSlug(slugOrId, matching))
  if (!canMatch(attribute)) {
    throw matchingAttributeNotUnique(
      attribute.api_slug,
      matching.map(({ api_slug }) => api_slug),
    )
  }
  return attribute
}

const canMatch = ({ is_unique, stored_in, type }: Attribute): boolean =>
  is_unique && stored_in === 'columns' && attributeType(type).allows.match
