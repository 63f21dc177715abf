/**
 * Renders static default values: as output values, except that options and statuses are their id.
 * See docs/reference/objects-and-attributes.md (Default values).
 */

import type { Attribute, DataModel } from '#engine/data-model/model'
import type { Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'

/** One value of a default value's template. */
export function outputTemplate(
  attribute: Attribute,
  model: DataModel,
  stored: Stored,
): Readonly<Record<string, unknown>> {
  const type = attributeType(attribute.type)
  const members = type.template?.(stored, attribute) ?? JSON.parse(`{${type.render(attribute, model)(stored)}}`)
  return { ...members, attribute_type: attribute.type }
}
