/** Refuses to archive or to delete what the definitions of computed attributes name. See docs/reference/objects-and-attributes.md (Computed attributes). */

import { attributeNamedByComputed, entityTypeNamedByComputed } from '#base/errors/attributes'
import { mayKnow } from '#engine/data-model/access/hidden'
import { wholeModel } from '#engine/data-model/access/member-model'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { namedBy, namingAttribute } from './definition'

/** The attributes are archived or deleted together. */
export function refuseNamedAttributes(model: DataModel, attributes: readonly Attribute[]): void {
  const ids = new Set(attributes.map(({ id }) => id))
  for (const attribute of attributes) {
    const naming = namingAttribute(wholeModel(model), attribute).filter(({ id }) => !ids.has(id))
    if (naming.length === 0) continue
    throw attributeNamedByComputed(attribute.api_slug, namesOf(model, attribute.entity_type_id, naming))
  }
}

/** Refuses to delete an object, an activity or a list, of which others have look-ups or rollups. */
export function refuseReadType(model: DataModel, { id, api_slug }: EntityType): void {
  const whole = wholeModel(model)
  const reading = [...whole.attributesById.values()].filter(
    (attribute) =>
      attribute.entity_type_id !== id && namedBy(whole, attribute).some(({ entity_type_id }) => entity_type_id === id),
  )
  if (reading.length > 0) throw entityTypeNamedByComputed(api_slug, namesOf(model, id, reading))
}

/** The computed attributes, those of other entity types with the slug of these. Leaves out those that the member may not know. */
const namesOf = (model: DataModel, entityTypeId: string, attributes: readonly Attribute[]): string[] =>
  attributes.flatMap(({ id, api_slug, entity_type_id }) => {
    const entityType = model.entityTypesById.get(entity_type_id)
    const attribute = model.attributesById.get(id)
    if (!entityType || !attribute || !mayKnow(entityType) || !mayKnow(attribute)) return []
    return entity_type_id === entityTypeId ? api_slug : `${entityType.api_slug}.${api_slug}`
  })
