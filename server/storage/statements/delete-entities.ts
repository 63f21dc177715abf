/** Statements that delete entities with their unique keys and history. See docs/reference/values.md (History). */

import { renderArray, type Transaction } from '../../../db/connect'
import { prepareOptions } from '../../../db/prepared-statements'
import { entityTypeOf, otherSideOf } from '../../data-model/find'
import type { Attribute, DataModel, EntityType, ObjectType } from '../../data-model/model'
import { parentUniqueKey } from '../parent'
import { VersionConflict } from '../preconditions'
import { storedIn } from '../provenance'
import type { StoredEntity } from '../read-entities'
import { attributesReferringTo, isRelationship } from '../references'
import { uniqueKeys } from '../unique-keys'

/**
 * Deletes rows, their unique keys, and their history except for relationships, which the other side still shows.
 * Throws `VersionConflict` when the data model changed: it may have keys, lists and references that `model` lacks.
 */
export async function deleteEntities(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  entities: readonly StoredEntity[],
): Promise<void> {
  const ids = renderArray(entities.map(({ id }) => id))
  const deleteRows = `
    delete from ${entityType.table} where id = any($1::uuid[])
    and exists (select 1 from ${model.schema}.model where version = $2) returning 1`
  const deleted = await tx.unsafe(deleteRows, [ids, model.version], prepareOptions(deleteRows))
  if (deleted.length < entities.length) throw new VersionConflict()
  const keys = entities.flatMap((entity) => keysOf(entityType, entity))
  if (keys.length > 0) {
    const deleteKeys = `
      delete from ${model.schema}.uniques u
      using json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
      where u.attribute = k.attribute and u.key = k.key and u.entity_id = k.entity_id`
    await tx.unsafe(deleteKeys, [JSON.stringify(keys)], prepareOptions(deleteKeys))
  }
  const kept = relationshipAttributes(model, entityType).map(({ number }) => number)
  const deleteHistory = `
    delete from ${model.schema}.history where entity_id = any($1::uuid[]) and attribute <> all($2::int[])`
  await tx.unsafe(deleteHistory, [ids, renderArray(kept)], prepareOptions(deleteHistory))
}

/** The keys that an entity may have. An entry has the unique key of its parent record only if it was created with it. */
function keysOf(entityType: EntityType, entity: StoredEntity) {
  const keys = entityType.attributes.flatMap((attribute) => uniqueKeys(attribute, storedIn(entity.valuesOf(attribute))))
  if (entityType.kind === 'list' && entity.parentRecordId) keys.push(parentUniqueKey(entityType, entity.parentRecordId))
  return keys.map((key) => ({ ...key, entity_id: entity.id }))
}

/**
 * Deletes the ended references of a deleted record, and those to it, where the record on the other side is deleted as
 * well.
 */
export async function deleteSharedHistory(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  id: string,
): Promise<void> {
  for (const attribute of relationshipAttributes(model, object)) {
    const partner = otherSideOf(model, attribute)
    if (!partner) continue
    const ended = `
      delete from ${model.schema}.history e where e.attribute = $1 and e.entity_id = $2
      and not exists (select 1 from ${entityTypeOf(model, partner).table} t where t.id = (e.value->>'target_record_id')::uuid)`
    await tx.unsafe(ended, [attribute.number, id], prepareOptions(ended))
  }
  for (const attribute of attributesReferringTo(model, object)) {
    if (!isRelationship(model, attribute)) continue
    const referring = `
      delete from ${model.schema}.history e where e.attribute = $1 and e.value ? 'target_record_id'
      and e.value->>'target_record_id' = $2
      and not exists (select 1 from ${entityTypeOf(model, attribute).table} h where h.id = e.entity_id)`
    await tx.unsafe(referring, [attribute.number, id], prepareOptions(referring))
  }
}

/** The attributes of an entity type that store one side of a relationship. */
export const relationshipAttributes = (model: DataModel, entityType: EntityType): Attribute[] =>
  entityType.attributes.filter((attribute) => attribute.stored_in === 'columns' && isRelationship(model, attribute))
