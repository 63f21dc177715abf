import { entityTypeOf, otherSideOf } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { mayChangeOtherEntities } from '#engine/entities/relationships/relationships'
import { attributesNamed } from '#engine/entities/write/assignments'

/** Whether a write of these values changes no other entity, nor what answers show of another one of the entity type. */
export const isIndependent = (
  model: DataModel,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
): boolean =>
  attributesNamed(entityType, values).every(
    (attribute) => !mayChangeOtherEntities(model, attribute) && !isWithin(model, entityType, attribute),
  )

/** Whether an attribute is one side of a relationship of which the entity type has both sides. */
function isWithin(model: DataModel, entityType: EntityType, attribute: Attribute): boolean {
  const otherSide = otherSideOf(model, attribute)
  return otherSide !== undefined && entityTypeOf(model, otherSide).id === entityType.id
}
