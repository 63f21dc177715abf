/**
 * Statements that delete entities with their unique keys and history, or move them to the trash.
 * See docs/reference/values.md (History) and docs/reference/trash.md.
 */

import { prepareOptions, renderArray, type Transaction } from '#db/connect'
import { entityTypeOf, otherSideOf } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType, RecordType } from '#engine/data-model/model'
import { erasePreviousValues } from '#engine/storage/imports/imported-records'
import { VersionConflict } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { type StoredEntity, parentUniqueKey } from '#engine/storage/read-entities'
import { attributesReferringTo, isRelationship } from '#engine/storage/layout'
import { type Deletion, deleteEnded, deleteKeys, deleteRows } from '#engine/storage/trash/move-to-trash'
import { uniqueKeys } from '#engine/storage/unique-keys'

/**
 * Deletes rows, their unique keys, and their history except for relationships, which the other side still shows. What is deleted
 * becomes part of its record in the trash, unless the deletion is for good.
 * Throws `VersionConflict` when the data model changed: it may have keys, lists and references that `model` lacks.
 */
export async function deleteEntities(
  deletion: Deletion,
  entityType: EntityType,
  entities: readonly StoredEntity[],
): Promise<void> {
  const { model } = deletion
  const ids = renderArray(entities.map(({ id }) => id))
  const rows = `
    delete from ${entityType.table} where id = any($1::uuid[])
    and exists (select 1 from ${model.schema}.model where version = $2)`
  const deleted = await deleteRows(deletion, entityType, { text: rows, parameters: [ids, model.version] })
  if (deleted < entities.length) throw new VersionConflict()
  const keys = entities.flatMap((entity) => keysOf(entityType, entity))
  if (keys.length > 0) {
    const text = `
      delete from ${model.schema}.uniques u
      using json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
      where u.attribute = k.attribute and u.key = k.key and u.entity_id = k.entity_id`
    await deleteKeys(deletion, entityType, { text, parameters: [JSON.stringify(keys)] })
  }
  const kept = relationshipAttributes(model, entityType).map(({ number }) => number)
  const history = `
    delete from ${model.schema}.history where entity_id = any($1::uuid[]) and attribute <> all($2::int[])`
  const recordIds = new Map(entities.map(({ id, parentRecordId = id }) => [id, parentRecordId]))
  await deleteEnded(deletion, { text: history, parameters: [ids, renderArray(kept)] }, recordIds)
  // Entries have no trash of their own, so an update of them cannot be undone any more.
  if (entityType.kind === 'list') await erasePreviousValues(deletion.tx, model, [...recordIds.keys()])
}

/** The keys that an entity may have. An entry has the unique key of its parent record only if it was created with it. */
function keysOf(entityType: EntityType, entity: StoredEntity) {
  const keys = entityType.attributes.flatMap((attribute) => uniqueKeys(attribute, storedIn(entity.valuesOf(attribute))))
  if (entityType.kind === 'list' && entity.parentRecordId) keys.push(parentUniqueKey(entityType, entity.parentRecordId))
  return keys.map((key) => ({ ...key, entity_id: entity.id }))
}

/**
 * Deletes the ended references of deleted records, and those to them, where the record on the other side is deleted as well.
 * A record in the trash can be restored, so it counts as one that exists.
 */
export async function deleteSharedHistory(
  tx: Transaction,
  model: DataModel,
  object: RecordType,
  ids: readonly string[],
): Promise<void> {
  const isGone = (id: string, { table }: EntityType) =>
    `not exists (select 1 from ${table} t where t.id = ${id}) and not exists (select 1 from ${model.schema}.trash t where t.id = ${id})`
  for (const attribute of relationshipAttributes(model, object)) {
    const partner = otherSideOf(model, attribute)
    if (!partner) continue
    const ended = `
      delete from ${model.schema}.history e where e.attribute = $1 and e.entity_id = any($2::uuid[])
      and ${isGone(`(e.value->>'target_record_id')::uuid`, entityTypeOf(model, partner))}`
    await tx.unsafe(ended, [attribute.number, renderArray(ids)], prepareOptions(ended))
  }
  for (const attribute of attributesReferringTo(model, object)) {
    if (!isRelationship(model, attribute)) continue
    const referring = `
      delete from ${model.schema}.history e where e.attribute = $1 and e.value ? 'target_record_id'
      and e.value->>'target_record_id' = any($2::text[]) and ${isGone('e.entity_id', entityTypeOf(model, attribute))}`
    await tx.unsafe(referring, [attribute.number, renderArray(ids)], prepareOptions(referring))
  }
}

/** The attributes of an entity type that store one side of a relationship. */
export const relationshipAttributes = (model: DataModel, entityType: EntityType): Attribute[] =>
  entityType.attributes.filter((attribute) => attribute.stored_in === 'columns' && isRelationship(model, attribute))
