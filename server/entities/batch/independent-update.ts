import type { DataModel, EntityType } from '../../data-model/model'
import { mayChangeOtherEntities } from '../relationships/relationships'
import { attributesNamed } from '../write/assignments'

/** Whether an update with these values neither changes other entities nor what updates of them depend on. */
export const isIndependent = (
  model: DataModel,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
): boolean =>
  attributesNamed(entityType, values).every(
    (attribute) => !attribute.is_unique && !mayChangeOtherEntities(model, attribute),
  )
