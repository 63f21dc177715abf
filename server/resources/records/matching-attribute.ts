import { attributeType } from '../../attribute-types/registry'
import { closest, findAttribute, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../../data-model/model'
import { matchingAttributeNotUnique, missingParameter, unknownMatchingAttribute } from '../../errors/errors'

/**
 * The attribute by whose values a record is matched. Throws 400 when none is named, when it does not exist, and when its
 * values do not tell records apart. Spec: values 4.
 */
export function getMatchingAttribute(model: DataModel, owner: ObjectOwner, slugOrId: string | undefined): Attribute {
  if (slugOrId === undefined || slugOrId === '') throw missingParameter('matching_attribute')
  const visible = visibleAttributes(model, owner)
  const attribute = findAttribute(owner, slugOrId)
  if (!attribute || !visible.includes(attribute)) {
    const slugs = visible.map(({ api_slug }) => api_slug)
    throw unknownMatchingAttribute(slugOrId, closest(slugOrId, slugs))
  }
  const { allows } = attributeType(attribute.type)
  if (!attribute.is_unique || attribute.stored_in !== 'columns' || !allows.match) {
    throw matchingAttributeNotUnique(attribute.api_slug)
  }
  return attribute
}
