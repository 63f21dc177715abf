/** The data model with the attributes and options that an import would create, for checking a file before it creates them. */

import { parseConfig } from '#engine/attribute-types/definition/config'
import { type Attribute, type DataModel, indexEntityTypes, type ObjectType } from '#engine/data-model/model'
import { buildAttribute, buildOption } from '#engine/workspaces/build-attribute'
import { type MissingAttribute, requestedConfig } from './bind-columns'

/** Larger than any number in the database, so that no stored attribute or option has such a number. */
const FIRST_PLANNED = 2 ** 31

/** Whether the attribute has columns in the database. */
export const isStored = ({ number }: Attribute): boolean => number < FIRST_PLANNED

export function withAttributes(model: DataModel, object: ObjectType, missing: readonly MissingAttribute[]): DataModel {
  const planned = missing.map((attribute, index) => {
    const { title, api_slug, type, is_multiselect } = attribute
    const config = parseConfig(model, type, requestedConfig(attribute))
    return buildAttribute(
      { title, api_slug, type, is_multiselect, config },
      { entity_type_id: object.id, number: FIRST_PLANNED + index, created_at: object.created_at },
    )
  })
  return withObject(model, { ...object, attributes: [...object.attributes, ...planned] })
}

/** Adds options to the attributes with these ids. */
export function withOptions(
  model: DataModel,
  object: ObjectType,
  titles: ReadonlyMap<string, readonly string[]>,
): DataModel {
  const attributes = object.attributes.map((attribute) => {
    const added = (titles.get(attribute.id) ?? []).map((title, index) => buildOption(FIRST_PLANNED + index, title))
    return added.length > 0 ? { ...attribute, options: [...attribute.options, ...added] } : attribute
  })
  return withObject(model, { ...object, attributes })
}

function withObject(model: DataModel, object: ObjectType): DataModel {
  const entityTypes = model.entityTypes.map((entityType) => (entityType.id === object.id ? object : entityType))
  return { ...model, ...indexEntityTypes(entityTypes) }
}
