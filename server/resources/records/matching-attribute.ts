import { attributeType } from '../../attribute-types/registry'
import { findAttribute, visibleAttributes } from '../../data-model/find'
import { closestSlug } from '../../data-model/access/hidden'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { missingParameter } from '../../errors/http'
import { matchingAttributeNotUnique, unknownMatchingAttribute } from '../../errors/records'

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
  if (!attribute || !visible.includes(attribute))
    throw unknownMatchingAttribute(slugOrId, closestSlug(slugOrId, visible))
  const { allows } = attributeType(attribute.type)
  if (!attribute.is_unique || attribute.stored_in !== 'columns' || !allows.match) {
    throw matchingAttributeNotUnique(attribute.api_slug)
  }
  return attribute
}
