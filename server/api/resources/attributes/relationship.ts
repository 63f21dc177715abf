/**
 * Creates the two sides of a relationship together.
 * See docs/reference/objects-and-attributes.md (Relationship attributes).
 */

import { getTargetId } from '#engine/attribute-types/formats/references'
import { attributeType } from '#engine/attribute-types/registry'
import { lockEntities } from '#engine/data-model/change-model'
import { allowedObjectIds, requireWritable } from '#engine/data-model/find'
import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { invalidBody } from '#base/errors/http'
import { buildAttribute, isStoringSide } from '#engine/workspaces/build-attribute'
import { attributeSlugConflict, refuseTakenSlug } from './rules'
import type { AttributeInput, RelationshipInput } from './schemas'

/** Returns the object on the other side, which may be the same object. */
export function otherSide(
  { model }: ModelChange,
  entityType: EntityType,
  input: AttributeInput,
  wanted: RelationshipInput,
): EntityType {
  if (!attributeType(input.type).refersToRecords) throw invalidRelationship('Only record-reference attributes have one')
  if (entityType.kind !== 'object') throw invalidRelationship('Attributes of lists have none')
  const other = model.entityTypesById.get(getTargetId(model, wanted.object))
  if (!other) throw new Error(`Object ${wanted.object} was found, but not by its id.`)
  requireWritable(other)
  refuseTakenSlug(other, wanted.api_slug)
  if (other.id === entityType.id && wanted.api_slug === input.api_slug)
    throw attributeSlugConflict(other, wanted.api_slug)
  return other
}

/** Refuses `allowed_objects` that name another object than that of the other side. */
export function refuseOtherObjects(
  attribute: Pick<Attribute, 'config'>,
  other: Pick<EntityType, 'id' | 'api_slug'>,
): void {
  if (allowedObjectIds(attribute).every((id) => id === other.id)) return
  const message = `A relationship with ${other.api_slug} allows records of ${other.api_slug} only`
  throw invalidBody([{ code: 'invalid', path: ['data', 'config', 'record_reference', 'allowed_objects'], message }])
}

/** Returns both sides, each referring to the entity type of the other. The first is the requested attribute. */
export async function createSides(
  { tx }: ModelChange,
  first: Attribute,
  other: EntityType,
  wanted: RelationshipInput,
): Promise<[Attribute, Attribute]> {
  refuseOtherObjects(first, other)
  await lockEntities(tx, other)
  const { title, api_slug, is_multiselect } = wanted
  const place = { entity_type_id: other.id, number: first.number + 1, created_at: first.created_at }
  const second = buildAttribute({ title, api_slug, is_multiselect, type: first.type }, place)
  const stores = isStoringSide(first, second)
  return [
    { ...first, ...side(second, other.id, stores) },
    { ...second, ...side(first, first.entity_type_id, !stores) },
  ]
}

const side = (partner: Attribute, entityTypeId: string, stores: boolean) => ({
  relationship_attribute_id: partner.id,
  config: { record_reference: { allowed_object_ids: [entityTypeId] } },
  stored_in: stores ? ('columns' as const) : ('partner' as const),
})

const invalidRelationship = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'relationship'], message }])
