/**
 * Deletes entities for good, with what is theirs alone.
 * See docs/reference/records.md (Delete) and docs/reference/values.md (History).
 */

import type { Transaction } from '../../../db/connect'
import { entityTypeOf, otherSideOf } from '../../data-model/find'
import type { RequestContext } from '../../call'
import type { Attribute, DataModel, ListType, ObjectType, EntityType } from '../../data-model/model'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import type { ChangeEvent } from '../../events/event-types'
import { batchesWhere } from '../../storage/batches'
import { entityChange } from '../../storage/entity-change'
import type { StoredEntity } from '../../storage/read-entities'
import { lockEntities } from '../../storage/read-entities'
import { attributesReferringTo, removeReferences } from '../../storage/references'
import { insertHistory } from '../../storage/history'
import { listsOf, parentClaim } from '../../storage/parent'
import { serialiseWrites } from './serialise-writes'
import { ofOthers, onlyOnce, tellChanged, tellEntryDeleted } from './change-events'
import { uniqueKeys } from '../../storage/unique-keys'
import { isRelationship, VersionConflict } from './save-change'

const SYSTEM = 0

/**
 * Deletes a record, its unique keys, history and entries, and ends the values that refer to it. Told are the record, its
 * entries, and the other sides of its relationships. `check` may refuse, knowing the record. False when there is no such record. Throws `VersionConflict` for `attempt`.
 */
export async function deleteRecordEntity(
  context: RequestContext,
  object: ObjectType,
  id: string,
  check: (entity: StoredEntity) => void,
): Promise<boolean> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const [entity] = await lockForDeletion(tx, model, object, [id])
    if (!entity) return false
    check(entity)
    const stamp = { now: context.now(), actor: SYSTEM }
    const entries = await deleteEntriesOf(tx, model, object, id)
    const writing = { tx, model, stamp, told: tellUnrelated(model, object, entity) }
    await removeReferences(writing, object, id)
    await forgetEntities(tx, model, object, [entity])
    await endRelationships(tx, model, object, entity, stamp.now)
    await forgetMirrors(tx, model, object, id)
    const deleted: ChangeEvent = { event_type: 'record.deleted', id: { object_id: object.id, record_id: id } }
    const told = [deleted, ...entries, ...onlyOnce(ofOthers(writing.told, [id]))]
    await appendToOutbox(tx, eventOriginOf(context, stamp.now), told)
    return true
  })
}

/** Locks entities against every other writer, also those that merely refer to them. */
export async function lockForDeletion(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  await tx.unsafe(`select 1 from ${entityType.table} where id = any($1::uuid[]) order by id for update`, [
    `{${ids.join(',')}}`,
  ])
  return lockEntities(tx, model, entityType, ids)
}

/** Deletes an entry; the record it stands for stays. As `deleteRecordEntity`. */
export async function deleteEntryEntity(
  context: RequestContext,
  list: ListType,
  id: string,
  check: (entity: StoredEntity) => void,
): Promise<boolean> {
  const { model } = context
  return context.db.sql.begin(async (tx) => {
    const [entity] = await lockForDeletion(tx, model, list, [id])
    if (!entity) return false
    check(entity)
    await forgetEntities(tx, model, list, [entity])
    await appendToOutbox(tx, eventOriginOf(context), [tellEntryDeleted(list, entity)])
    return true
  }) as Promise<boolean> // the driver widens what its callback gives
}

/**
 * Deletes all entries that stand for a record and gives what is to be told of it; nobody makes new ones while the record
 * is locked for deletion.
 */
async function deleteEntriesOf(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  id: string,
): Promise<ChangeEvent[]> {
  const told: ChangeEvent[] = []
  for (const list of listsOf(model, object)) {
    for await (const ids of batchesWhere(tx, list.table, 'parent_record_id = any($1::uuid[])', [id])) {
      const entries = await lockForDeletion(tx, model, list, ids)
      await forgetEntities(tx, model, list, entries)
      for (const entry of entries) told.push(tellEntryDeleted(list, entry))
    }
  }
  return told
}

/**
 * Removes rows, their unique keys, and their history but for relationships, which the other side still shows. Throws
 * `VersionConflict` when the data model is another one: there may be keys, lists and references that this one does not know.
 */
export async function forgetEntities(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  entities: readonly StoredEntity[],
): Promise<void> {
  const ids = `{${entities.map(({ id }) => id).join(',')}}`
  const gone = await tx.unsafe(
    `delete from ${entityType.table} where id = any($1::uuid[])
     and exists (select 1 from relata.workspaces where id = $2 and data_model_version = $3) returning 1`,
    [ids, model.workspace.id, model.version],
  )
  if (gone.length < entities.length) throw new VersionConflict()
  const keys = entities.flatMap((entity) => keysOf(entityType, entity))
  if (keys.length > 0) {
    await tx.unsafe(
      `delete from ${model.schema}.uniques u
       using json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
       where u.attribute = k.attribute and u.key = k.key and u.entity_id = k.entity_id`,
      [JSON.stringify(keys)],
    )
  }
  const kept = relationshipAttributes(model, entityType).map(({ number }) => number)
  await tx.unsafe(
    `delete from ${model.schema}.history where entity_id = any($1::uuid[]) and attribute <> all($2::int[])`,
    [ids, `{${kept}}`],
  )
}

/** The keys an entity may have; an entry has the claim on its record if it was made with it. */
function keysOf(entityType: EntityType, entity: StoredEntity) {
  const keys = entityType.attributes.flatMap((attribute) =>
    uniqueKeys(
      attribute,
      entity.versionsOf(attribute).map(({ stored }) => stored),
    ),
  )
  if (entityType.kind === 'list' && entity.parentRecordId) keys.push(parentClaim(entityType, entity.parentRecordId))
  return keys.map((key) => ({ ...key, entity_id: entity.id }))
}

/** Keeps the ended references of a deleted entity for the records on their other side. */
async function endRelationships(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  entity: StoredEntity,
  now: number,
): Promise<void> {
  const change = entityChange(entity, relationshipsEnded(model, entityType, entity), now)
  if (change) await insertHistory(tx, model, change.ended)
}

const relationshipsEnded = (model: DataModel, entityType: EntityType, entity: StoredEntity) =>
  relationshipAttributes(model, entityType).map((attribute) => ({
    attribute,
    before: entity.versionsOf(attribute),
    after: [],
  }))

/** What is told when an entity refers to nothing any more. */
const tellUnrelated = (model: DataModel, entityType: EntityType, entity: StoredEntity): ChangeEvent[] =>
  tellChanged(model, entityType, entity, relationshipsEnded(model, entityType, entity))

/** Removes what was kept of references of or to a record that is gone, where the other one is gone as well. */
export async function forgetMirrors(tx: Transaction, model: DataModel, object: ObjectType, id: string): Promise<void> {
  for (const attribute of relationshipAttributes(model, object)) {
    const partner = otherSideOf(model, attribute)
    if (!partner) continue
    await tx.unsafe(
      `delete from ${model.schema}.history e where e.attribute = $1 and e.entity_id = $2
       and not exists (select 1 from ${entityTypeOf(model, partner).table} t where t.id = (e.value->>'target_record_id')::uuid)`,
      [attribute.number, id],
    )
  }
  for (const attribute of attributesReferringTo(model, object)) {
    if (!isRelationship(model, attribute)) continue
    await tx.unsafe(
      `delete from ${model.schema}.history e where e.attribute = $1 and e.value ? 'target_record_id'
       and e.value->>'target_record_id' = $2
       and not exists (select 1 from ${entityTypeOf(model, attribute).table} h where h.id = e.entity_id)`,
      [attribute.number, id],
    )
  }
}

const relationshipAttributes = (model: DataModel, entityType: EntityType): Attribute[] =>
  entityType.attributes.filter((attribute) => attribute.stored_in === 'columns' && isRelationship(model, attribute))
